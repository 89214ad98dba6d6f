// Reads PLY files: the header, then the body in its encoding.
#include "formats/ply/ply_reader.hpp"

#include <fmt/format.h>
#include <utility>

#include "formats/ply/ply_body.hpp"
#include "formats/ply/ply_list_rows.hpp"
#include "formats/table/coordinate_system.hpp"

namespace kann::formats {

ChosenAttributes choose_ply_attributes(const PlyHeader& header, const ReadOptions& options, const std::string& file,
                                       std::vector<std::string>& warnings) {
  std::vector<AttributeColumn> table;
  std::vector<std::size_t> hidden = header.axes;  // columns that are not among all attributes
  for (const PlyProperty& property : header.elements[header.vertex].properties) {
    if (header.is_2d && property.name == "z") hidden.push_back(table.size());
    table.push_back({property.name, property.count_type ? "is a list" : ""});
  }
  return chosen_attributes("property", table, hidden, options, file, warnings);
}

std::optional<CoordinateSystem> system_of(const PlyHeader& header) {
  std::optional<CoordinateSystem> system;
  for (const std::string& comment : header.comments)
    if (!system) system = system_of_comment(comment);
  return system;
}

std::vector<std::string> attribute_names(const PlyHeader& header) {
  std::vector<std::string> names;
  for (const std::size_t p : header.attributes) names.push_back(header.elements[header.vertex].properties[p].name);
  return names;
}

WideSize least_bytes(const PlyElement& element, PlyEncoding encoding) {
  if (encoding != PlyEncoding::ascii) return WideSize{element.count} * min_row_bytes(element);
  // A value takes at least a digit, and a blank or a line end before the next.
  const WideSize bytes = WideSize{element.count} * 2 * element.properties.size();
  return bytes > 0 ? bytes - 1 : 0;
}

void check_element_size(const PlyElement& element, PlyEncoding encoding, std::size_t left, const std::string& file) {
  const WideSize need = least_bytes(element, encoding);
  const bool at_least = encoding == PlyEncoding::ascii || element.has_list();
  if (need > left)
    refuse(file, fmt::format("{} count {} needs {}{} bytes, file holds {}", excerpt(element.name), element.count,
                             at_least ? "at least " : "", need, left));
}

Cloud read_ply(std::string_view bytes, const std::string& file, const ReadOptions& options, ByteProgress* progress) {
  PlyHeader header = parse_ply_header(bytes, file, options);
  std::vector<std::string> warnings;
  const ChosenAttributes chosen = choose_ply_attributes(header, options, file, warnings);
  header.attributes = chosen.columns;
  PlyBody body = header.encoding == PlyEncoding::ascii ? read_ply_ascii(header, bytes, file, progress)
                                                       : read_ply_binary(header, bytes, file);

  Cloud cloud{std::move(body.points), std::move(warnings), header.columns, std::move(body.attributes)};
  cloud.system = system_of(header);
  chosen.describe(cloud);
  const std::string_view rest = bytes.substr(body.end);
  if (rest.find_first_not_of(k_ply_blanks) != std::string_view::npos)
    cloud.warnings.push_back(rest_warning(file, rest.size(), "the last element"));
  return cloud;
}

}  // namespace kann::formats
