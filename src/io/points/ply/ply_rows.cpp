#include "io/points/ply/ply_rows.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "io/files/file_window.hpp"
#include "io/points/ply/ply_body.hpp"
#include "io/points/ply/ply_header.hpp"
#include "io/points/ply/ply_list_rows.hpp"
#include "io/points/table/row_layout.hpp"

namespace kann::io {
namespace {

/// Parses the header. It reads as many bytes as a header may have, and one more, which shows whether it is longer.
PlyHeader header_of(const Input& input, const ReadOptions& options) {
  std::string bytes(std::min(input.expected_size(), k_ply_header_bytes + 1), '\0');
  input.read_range(0, std::as_writable_bytes(std::span(bytes)));
  return parse_ply_header(bytes, input.name(), options.columns);
}

std::vector<RowAxis> axes_of(const PlyHeader& header, std::endian order) {
  const std::vector<PlyProperty>& properties = header.elements[header.vertex].properties;
  std::vector<RowAxis> axes;
  for (const std::size_t axis : header.axes) {
    std::size_t offset = 0;
    for (std::size_t p = 0; p < axis; ++p) offset += size_of(properties[p].type);
    axes.push_back({properties[axis].type, offset, order});
  }
  return axes;
}

RowCloud binary_rows(const PlyHeader& header, std::shared_ptr<Input> input, const ReadOptions& options) {
  if (header.elements[header.vertex].has_list()) return {.obstacle = "PLY whose vertices have lists"};
  const std::endian order = header.encoding == PlyEncoding::binary_big_endian ? std::endian::big : std::endian::little;
  const std::size_t size = input->expected_size();
  FileWindow window(*input);
  PlyListRows lists(window, size, order, input->name());
  RowLayout layout{.axes = axes_of(header, order), .columns = options.columns};
  std::size_t position = header.body;
  for (std::size_t e = 0; e < header.elements.size(); ++e) {
    const PlyElement& element = header.elements[e];
    const std::size_t row_bytes = min_row_bytes(element);
    check_element_size(element, WideSize{element.count} * row_bytes, element.has_list(), size - position,
                       input->name());
    if (e == header.vertex) layout.rows = {position, element.count, row_bytes};
    position = element.has_list() ? lists.each(element, position, [](std::size_t, std::size_t, std::size_t) {})
                                  : position + static_cast<std::size_t>(element.count) * row_bytes;
  }
  if (!holds_only(*input, position, k_ply_blanks))
    layout.warnings.push_back(ply_rest_warning(input->name(), size - position));
  return row_cloud(std::move(input), std::move(layout), options.threads);
}

}  // namespace

RowCloud ply_rows(std::shared_ptr<Input> input, const ReadOptions& options) {
  const PlyHeader header = header_of(*input, options);
  if (header.encoding == PlyEncoding::ascii) {
    RowCloud cloud = ply_ascii_rows(header, std::move(input), options.threads);
    cloud.columns = options.columns;
    return cloud;
  }
  return binary_rows(header, std::move(input), options);
}

}  // namespace kann::io
