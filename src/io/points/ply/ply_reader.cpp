// Reads PLY files: the header, then the body in its encoding.
#include "io/points/ply/ply_reader.hpp"

#include <fmt/format.h>
#include <utility>

#include "io/points/ply/ply_body.hpp"

namespace kann::io {

void check_element_size(const PlyElement& element, WideSize need, bool at_least, std::size_t left,
                        const std::string& file) {
  if (need > left)
    refuse(file, fmt::format("{} count {} needs {}{} bytes, file holds {}", excerpt(element.name), element.count,
                             at_least ? "at least " : "", need, left));
}

Cloud read_ply(std::string_view bytes, const std::string& file, std::span<const std::string> columns,
               ByteProgress* progress) {
  const PlyHeader header = parse_ply_header(bytes, file, columns);
  PlyBody body = header.encoding == PlyEncoding::ascii ? read_ply_ascii(header, bytes, file, progress)
                                                       : read_ply_binary(header, bytes, file);

  Cloud cloud{std::move(body.points), {}, {columns.begin(), columns.end()}};
  const std::string_view rest = bytes.substr(body.end);
  if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos)
    cloud.warnings.push_back(fmt::format("{}: {} bytes after the last element are not read", file, rest.size()));
  return cloud;
}

}  // namespace kann::io
