#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/file_window.hpp"
#include "formats/files/refusal.hpp"
#include "formats/pcd/pcd_body.hpp"
#include "formats/pcd/pcd_header.hpp"
#include "formats/table/layouts.hpp"

namespace kann::formats {
namespace {

std::vector<std::string> columns_of(const PcdHeader& header, const ReadRequest& options) {
  if (!options.columns.empty()) return options.columns;
  std::vector<std::string> columns;
  for (const std::size_t axis : header.axes) columns.push_back(header.fields[axis].name);
  return columns;
}

}  // namespace

RowLayout pcd_layout(std::shared_ptr<Input> from, const ReadRequest& options) {
  Input& input = *from;
  const std::string& file = input.name();
  const PcdHeader header = parse_pcd_header(input.head(), file, options);
  RowLayout layout{.input = std::move(from)};
  Cloud& cloud = layout.without_rows;
  cloud.columns = columns_of(header, options);
  const PcdAttributes attributes = choose_pcd_attributes(header, options, file, cloud.warnings);
  layout.rows = {header.body, header.points, static_cast<std::size_t>(header.point_bytes)};
  const bool is_text = header.encoding == PcdEncoding::ascii;
  PackedRow packed(header.fields.size());
  const auto field_of = [&](std::size_t f, ScalarType type, std::size_t byte) {
    const PcdField& field = header.fields[f];
    return RowField{type, (is_text ? packed.place_of(f, field.type) : static_cast<std::size_t>(field.offset)) + byte};
  };
  for (const std::size_t axis : header.axes) layout.axes.push_back(field_of(axis, header.fields[axis].type, 0));
  for (const PcdAttribute& one : attributes.all)
    layout.add_attribute(one.name, field_of(one.field, one.type, one.byte));
  attributes.chosen.describe(cloud);

  constexpr std::string_view encodings[] = {"ascii", "binary", "binary_compressed"};
  layout.variant = fmt::format(", {}", encodings[static_cast<std::size_t>(header.encoding)]);

  std::size_t end = header.body;
  if (is_text) {
    check_pcd_ascii_size(header, input.total_size() - header.body, file);
    layout.rows.stride = packed.bytes();
    layout.lines = pcd_lines(header, std::move(packed), file);
    return layout;
  }
  if (header.encoding == PcdEncoding::binary) {
    check_row_count(input, layout.rows);
    end += static_cast<std::size_t>(layout.rows.rows) * layout.rows.stride;
  } else {
    input.total_size();
    const auto columns = std::make_shared<PcdColumns>(input, header, attributes);
    layout.obstacle = "compressed PCD";
    layout.held_bytes = columns->buffer_bytes(options.threads);
    end = columns->end();
    layout.packed = columns;
  }
  if (!holds_only(input, end, k_pcd_blanks))
    cloud.warnings.push_back(rest_warning(file, input.size() - end, "the last point"));
  return layout;
}

}  // namespace kann::formats
