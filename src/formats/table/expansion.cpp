#include "formats/table/expansion.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "formats/files/input.hpp"

namespace kann::formats {

void check_expansion_ratio(const std::string& file, std::uint64_t compressed, WideSize memory) {
  const WideSize maximum = std::max(WideSize{k_expansion_bytes}, WideSize{compressed} * k_expansion_ratio);
  if (memory > maximum)
    refuse(file, fmt::format("{} compressed bytes would take {} bytes of memory (need at most {}); decompress the file "
                             "first if it is sound",
                             compressed, memory, maximum));
}

void check_expansion(const std::string& file, std::uint64_t compressed, WideSize memory) {
  check_expansion_ratio(file, compressed, memory);
  base::check_host_memory(static_cast<double>(memory), file.c_str());
}

}  // namespace kann::formats
