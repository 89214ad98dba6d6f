// The readers of results and ground truths (--compare): the same bytes under every extension.
#include <cstdint>
#include <string>

#include "kann/compare.hpp"

#include "targets/checks.hpp"
#include "targets/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kann;
  static fuzz::MemoryFile file;
  file.set_bytes({data, size});
  for (const char* extension : {".npz", ".npy", ".bin", ".ibin", ".ivecs"}) {
    try {
      std::string meta;
      const Neighbors n = read_neighbors(file.path(extension), &meta);
      if (meta.size() > size) fuzz::report("the text is of the file", std::to_string(meta.size()) + " bytes");
      const std::string seen = std::to_string(n.queries) + " x " + std::to_string(n.k) + ", " +
                               std::to_string(n.ids.size()) + " ids, " + std::to_string(n.distances.size()) +
                               " distances of " + std::to_string(size) + " bytes";
      if (n.queries < 0 || n.k < 0 ||
          n.ids.size() != static_cast<std::size_t>(n.queries) * static_cast<std::size_t>(n.k))
        fuzz::report("ids are queries x k", seen);
      if (!n.distances.empty() && n.distances.size() != n.ids.size()) fuzz::report("an id has a distance", seen);
      if (4 * n.ids.size() > size) fuzz::report("an id takes four bytes at least", seen);
    } catch (const Error& error) {
      fuzz::check_error(error, 4000);
    }
  }
  return 0;
}
