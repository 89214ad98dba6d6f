#include "formats/ply/ply_rows.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/file_window.hpp"
#include "formats/ply/ply_body.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/ply/ply_list_rows.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

PlyHeader ply_header_of(const Input& input, const ReadOptions& options) {
  std::string bytes(std::min(input.size(), k_ply_header_bytes + 1), '\0');
  input.read_range(0, std::as_writable_bytes(std::span(bytes)));
  return parse_ply_header(bytes, input.name(), options);
}

namespace {

/// The properties of the vertices, which have no lists, as fields of their rows.
std::vector<RowField> fields_of(const PlyHeader& header, std::endian order) {
  std::vector<RowField> fields;
  std::size_t offset = 0;
  for (const PlyProperty& property : header.elements[header.vertex].properties) {
    fields.push_back({property.type, offset, order});
    offset += size_of(property.type);
  }
  return fields;
}

RowCloud binary_rows(const PlyHeader& header, Cloud without_rows, std::shared_ptr<Input> input, int threads) {
  if (header.elements[header.vertex].has_list()) return {.obstacle = "PLY whose vertices have lists"};
  const std::endian order = header.encoding == PlyEncoding::binary_big_endian ? std::endian::big : std::endian::little;
  const std::size_t size = input->expected_size();
  FileWindow window(*input);
  PlyListRows lists(window, size, order, input->name());
  const std::vector<RowField> fields = fields_of(header, order);
  RowLayout layout{.input = input, .without_rows = std::move(without_rows)};
  for (const std::size_t p : header.axes) layout.axes.push_back(fields[p]);
  for (const std::size_t p : header.attributes) layout.fields.push_back(fields[p]);
  std::size_t position = header.body;
  for (std::size_t e = 0; e < header.elements.size(); ++e) {
    const PlyElement& element = header.elements[e];
    const std::size_t row_bytes = min_row_bytes(element);
    check_element_size(element, header.encoding, size - position, input->name());
    if (e == header.vertex) layout.rows = {position, element.count, row_bytes};
    position = element.has_list() ? lists.each(element, position, [](std::size_t, std::size_t, std::size_t) {})
                                  : position + static_cast<std::size_t>(element.count) * row_bytes;
  }
  if (!holds_only(*input, position, k_ply_blanks))
    layout.without_rows.warnings.push_back(rest_warning(input->name(), size - position, "the last element"));
  return row_cloud(std::move(layout), threads);
}

/// All of the cloud but its rows. Sets PlyHeader::attributes.
Cloud without_rows_of(PlyHeader& header, const ReadOptions& options, const std::string& file) {
  Cloud cloud;
  cloud.columns = header.columns;
  cloud.system = system_of(header);
  const ChosenAttributes chosen = choose_ply_attributes(header, options, file, cloud.warnings);
  header.attributes = chosen.columns;
  for (const std::size_t p : header.attributes) {
    const PlyProperty& property = header.elements[header.vertex].properties[p];
    cloud.attributes.push_back({property.name, make_values(property.type, 0)});
  }
  chosen.describe(cloud);
  return cloud;
}

}  // namespace

Cloud ply_without_rows(PlyHeader header, const Input& input, const ReadOptions& options) {
  Cloud cloud = without_rows_of(header, options, input.name());
  std::size_t left = input.expected_size() - header.body;  // at most, after lists and texts
  for (const PlyElement& element : header.elements) {
    check_element_size(element, header.encoding, left, input.name());
    left -= static_cast<std::size_t>(least_bytes(element, header.encoding));
  }
  cloud.points.dimensions = static_cast<int>(header.axes.size());
  return cloud;
}

RowCloud ply_rows(std::shared_ptr<Input> input, const ReadOptions& options) {
  PlyHeader header = ply_header_of(*input, options);
  Cloud without_rows = without_rows_of(header, options, input->name());
  return header.encoding == PlyEncoding::ascii
             ? ply_ascii_rows(header, std::move(without_rows), std::move(input), options.threads)
             : binary_rows(header, std::move(without_rows), std::move(input), options.threads);
}

}  // namespace kann::formats
