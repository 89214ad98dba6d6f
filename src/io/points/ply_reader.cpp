#include "io/points/ply_reader.hpp"

#include <fmt/format.h>
#include <utility>

#include "io/points/ply_body.hpp"

namespace kann::io {

Cloud read_ply(std::string_view bytes, const std::string& file) {
  const PlyHeader header = parse_ply_header(bytes, file);
  const auto read_body = header.encoding == PlyEncoding::ascii ? read_ply_ascii : read_ply_binary;
  PlyBody body = read_body(header, bytes, file);

  Cloud cloud{std::move(body.points), {}};
  const std::string_view rest = bytes.substr(body.end);
  if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos)
    cloud.warnings.push_back(fmt::format("{}: {} bytes after the last element are not read", file, rest.size()));
  return cloud;
}

}  // namespace kann::io
