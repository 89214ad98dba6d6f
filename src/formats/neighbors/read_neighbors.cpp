// kann::read_neighbors(): all rows of a file.
#include <string>

#include "kann/compare.hpp"

#include "formats/files/input.hpp"
#include "formats/neighbors/reference_file.hpp"

namespace kann {

Neighbors read_neighbors(const std::string& path, std::string* meta) {
  formats::ReferenceFile file(path);
  if (meta) *meta = file.meta();
  Neighbors out{file.queries(), file.k(), {}, {}};
  const auto values = static_cast<std::size_t>(out.queries * out.k);
  base::check_host_memory(4.0 * static_cast<double>(values) * (file.has_distances() ? 2 : 1), path.c_str());
  out.ids.resize(values);
  file.read_ids(0, out.ids);
  if (!file.has_distances()) return out;
  out.distances.resize(values);
  file.read_distances(0, out.distances);
  return out;
}

}  // namespace kann
