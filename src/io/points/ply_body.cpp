#include "io/points/ply_body.hpp"

#include <fmt/format.h>

namespace kann::io {

void check_element_size(const PlyElement& element, WideSize need, bool at_least, std::size_t left,
                        const std::string& file) {
  if (need > left)
    refuse(file, fmt::format("{} count {} needs {}{} bytes, file holds {}", printable(element.name), element.count,
                             at_least ? "at least " : "", need, left));
}

}  // namespace kann::io
