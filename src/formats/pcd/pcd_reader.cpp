#include "formats/pcd/pcd_reader.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/pcd/pcd_body.hpp"
#include "formats/pcd/pcd_header.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {
namespace {

/// Warns of bytes after the last point, unless the whole file is held and they are all blanks or zeros.
void warn_of_rest(std::size_t end, Input& input, std::vector<std::string>& warnings) {
  const std::string_view held = input.head();
  const bool is_held = held.size() >= input.total_size();
  const std::size_t rest = input.total_size() - end;
  if (rest == 0 || (is_held && held.find_first_not_of(k_pcd_blanks, end) == std::string_view::npos)) return;
  warnings.push_back(rest_warning(input.name(), rest, "the last point"));
}

std::vector<std::string> columns_of(const PcdHeader& header, const ReadOptions& options) {
  if (!options.columns.empty()) return options.columns;
  std::vector<std::string> columns;
  for (const std::size_t axis : header.axes) columns.push_back(header.fields[axis].name);
  return columns;
}

/// Where the points of a binary file are.
RowLayout binary_layout(std::shared_ptr<Input> from, const PcdHeader& header, const PcdAttributes& attributes,
                        Cloud without_rows) {
  Input& input = *from;
  RowLayout layout{.input = std::move(from)};
  layout.rows = {header.body, header.points, static_cast<std::size_t>(header.point_bytes)};
  check_row_count(input, layout.rows);
  const auto field_of = [&](std::size_t field, ScalarType type, std::size_t byte) {
    return RowField{type, static_cast<std::size_t>(header.fields[field].offset) + byte};
  };
  for (const std::size_t axis : header.axes) layout.axes.push_back(field_of(axis, header.fields[axis].type, 0));
  for (const PcdAttribute& one : attributes.all) layout.fields.push_back(field_of(one.field, one.type, one.byte));
  layout.without_rows = std::move(without_rows);
  warn_of_rest(layout.rows.begin + static_cast<std::size_t>(layout.rows.rows) * layout.rows.stride, input,
               layout.without_rows.warnings);
  return layout;
}

/// All of the cloud but its rows, and where its attributes are.
std::pair<Cloud, PcdAttributes> without_rows_of(const PcdHeader& header, const ReadOptions& options,
                                                const std::string& file) {
  Cloud cloud;
  cloud.columns = columns_of(header, options);
  PcdAttributes attributes = choose_pcd_attributes(header, options, file, cloud.warnings);
  for (const PcdAttribute& one : attributes.all) cloud.attributes.push_back({one.name, make_values(one.type, 0)});
  attributes.chosen.describe(cloud);
  return {std::move(cloud), std::move(attributes)};
}

/// Checks that a regular file can hold its points. Reads what says how long they are.
void check_size(const Input& input, const PcdHeader& header, const PcdAttributes& attributes) {
  const std::size_t left = input.expected_size() - header.body;
  if (header.encoding == PcdEncoding::ascii) return check_pcd_ascii_size(header, left, input.name());
  if (header.encoding == PcdEncoding::binary) return;  // its layout is checked
  std::string sizes(std::min(left, k_pcd_size_bytes), '\0');
  input.read_range(header.body, std::as_writable_bytes(std::span(sizes)));
  check_pcd_compressed_size(header, attributes, sizes, left, input.name());
}

}  // namespace

Cloud read_pcd(std::shared_ptr<Input> from, const ReadOptions& options) {
  Input& input = *from;
  const PcdHeader header = parse_pcd_header(input.head(), input.name(), options);
  auto [cloud, attributes] = without_rows_of(header, options, input.name());
  if (header.encoding == PcdEncoding::binary)
    return read_layout(binary_layout(std::move(from), header, attributes, std::move(cloud)), options.threads);
  const std::string_view bytes = input.read_all();
  PcdBody body = header.encoding == PcdEncoding::ascii
                     ? read_pcd_ascii(header, attributes, bytes, input.name(), &input.progress())
                     : read_pcd_compressed(header, attributes, bytes, input.name());
  cloud.points = std::move(body.points);
  cloud.attributes = std::move(body.attributes);
  attributes.chosen.describe(cloud);
  warn_of_rest(body.end, input, cloud.warnings);
  return std::move(cloud);
}

Cloud pcd_without_rows(const Input& input, const ReadOptions& options) {
  const PcdHeader header = parse_pcd_header(input.head(), input.name(), options);
  auto [cloud, attributes] = without_rows_of(header, options, input.name());
  check_size(input, header, attributes);
  cloud.points.dimensions = static_cast<int>(header.axes.size());
  return std::move(cloud);
}

RowCloud pcd_rows(std::shared_ptr<Input> input, const ReadOptions& options) {
  const PcdHeader header = parse_pcd_header(input->head(), input->name(), options);
  auto [cloud, attributes] = without_rows_of(header, options, input->name());
  check_size(*input, header, attributes);
  if (header.encoding == PcdEncoding::binary_compressed) return {.obstacle = "compressed PCD"};
  if (header.encoding == PcdEncoding::ascii)
    return pcd_ascii_rows(header, attributes, std::move(cloud), std::move(input), options.threads);
  return row_cloud(binary_layout(std::move(input), header, attributes, std::move(cloud)), options.threads);
}

}  // namespace kann::formats
