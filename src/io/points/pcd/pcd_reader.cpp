#include "io/points/pcd/pcd_reader.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "io/points/pcd/pcd_body.hpp"
#include "io/points/pcd/pcd_header.hpp"
#include "io/points/table/attributes.hpp"
#include "io/points/table/fixed_rows.hpp"
#include "io/points/table/row_layout.hpp"

namespace kann::io {
namespace {

FixedRows rows_of(const PcdHeader& header) {
  return {header.body, header.points, static_cast<std::size_t>(header.point_bytes)};
}

std::vector<RowAxis> axes_of(const PcdHeader& header) {
  std::vector<RowAxis> axes;
  for (const std::size_t axis : header.axes)
    axes.push_back({header.fields[axis].type, static_cast<std::size_t>(header.fields[axis].offset)});
  return axes;
}

std::size_t end_of(const FixedRows& rows) { return rows.begin + static_cast<std::size_t>(rows.rows) * rows.stride; }

PcdBody read_binary(const PcdHeader& header, const PcdAttributes& attributes, Input& input, int threads) {
  const FixedRows rows = rows_of(header);
  check_row_count(input, rows);
  std::vector<RowAxis> fields;
  for (const PcdAttribute& one : attributes.all)
    fields.push_back({one.type, static_cast<std::size_t>(header.fields[one.field].offset) + one.byte});
  RowAttributes values(attributes.names(), std::move(fields), rows, input.name());
  RowBlock look;
  if (!attributes.all.empty())
    look = [&](std::uint64_t first, std::size_t count, const char* bytes) { values.fill(first, count, bytes); };
  Points points = read_fixed_rows(input, rows, axes_of(header), threads, look);
  return {std::move(points), values.take(), end_of(rows)};
}

PcdBody read_body(const PcdHeader& header, const PcdAttributes& attributes, Input& input, int threads) {
  switch (header.encoding) {
    case PcdEncoding::ascii:
      return read_pcd_ascii(header, attributes, input.read_all(), input.name(), &input.progress());
    case PcdEncoding::binary:
      return read_binary(header, attributes, input, threads);
    case PcdEncoding::binary_compressed:
      return read_pcd_compressed(header, attributes, input.read_all(), input.name());
  }
  return {};
}

/// Warns of bytes after the last point, unless the whole file is held and they are all blanks or zeros.
void warn_of_rest(std::size_t end, Input& input, std::vector<std::string>& warnings) {
  const std::string_view held = input.head();
  const bool is_held = held.size() >= input.total_size();
  const std::size_t rest = input.total_size() - end;
  if (rest == 0 || (is_held && held.find_first_not_of(k_pcd_blanks, end) == std::string_view::npos)) return;
  warnings.push_back(pcd_rest_warning(input.name(), rest));
}

std::vector<std::string> columns_of(const PcdHeader& header, const ReadOptions& options) {
  if (!options.columns.empty()) return options.columns;
  std::vector<std::string> columns;
  for (const std::size_t axis : header.axes) columns.push_back(header.fields[axis].name);
  return columns;
}

}  // namespace

std::string pcd_rest_warning(const std::string& file, std::size_t bytes) {
  return fmt::format("{}: {} bytes after the last point are not read", file, bytes);
}

Cloud read_pcd(Input& input, const ReadOptions& options) {
  const PcdHeader header = parse_pcd_header(input.head(), input.name(), options.columns);
  std::vector<std::string> warnings;
  const PcdAttributes attributes = choose_pcd_attributes(header, options, input.name(), warnings);
  PcdBody body = read_body(header, attributes, input, options.threads);
  Cloud cloud{std::move(body.points), std::move(warnings), columns_of(header, options), std::move(body.attributes)};
  attributes.chosen.describe(cloud);
  warn_of_rest(body.end, input, cloud.warnings);
  return cloud;
}

RowCloud pcd_rows(std::shared_ptr<Input> input, const ReadOptions& options) {
  const PcdHeader header = parse_pcd_header(input->head(), input->name(), options.columns);
  if (header.encoding == PcdEncoding::binary_compressed) return {.obstacle = "compressed PCD"};
  if (header.encoding == PcdEncoding::ascii) {
    RowCloud cloud = pcd_ascii_rows(header, std::move(input), options.threads);
    cloud.columns = columns_of(header, options);
    return cloud;
  }
  RowLayout layout{.rows = rows_of(header), .axes = axes_of(header), .columns = columns_of(header, options)};
  check_row_count(*input, layout.rows);
  warn_of_rest(end_of(layout.rows), *input, layout.warnings);
  return row_cloud(std::move(input), std::move(layout), options.threads);
}

}  // namespace kann::io
