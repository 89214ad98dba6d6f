#include "io/points/pcd/pcd_reader.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "io/points/pcd/pcd_body.hpp"
#include "io/points/pcd/pcd_header.hpp"
#include "io/points/table/attributes.hpp"
#include "io/points/table/fixed_rows.hpp"

namespace kann::io {
namespace {

PcdBody read_binary(const PcdHeader& header, const PcdAttributes& attributes, Input& input, int threads) {
  std::vector<RowAxis> axes;
  for (const std::size_t axis : header.axes)
    axes.push_back({header.fields[axis].type, static_cast<std::size_t>(header.fields[axis].offset)});
  const FixedRows rows{header.body, header.points, static_cast<std::size_t>(header.point_bytes)};
  check_row_count(input, rows);
  std::vector<RowAxis> fields;
  for (const PcdAttribute& one : attributes.all)
    fields.push_back({one.type, static_cast<std::size_t>(header.fields[one.field].offset) + one.byte});
  RowAttributes values(attributes.names(), std::move(fields), rows, input.name());
  RowBlock look;
  if (!attributes.all.empty())
    look = [&](std::uint64_t first, std::size_t count, const char* bytes) { values.fill(first, count, bytes); };
  Points points = read_fixed_rows(input, rows, axes, threads, look);
  return {std::move(points), values.take(), header.body + static_cast<std::size_t>(header.points * header.point_bytes)};
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

/// Bytes after the last point, unless all that are held are blanks or zeros: old releases of PCL filled the last page
/// of the file.
std::size_t bytes_after(std::size_t end, Input& input) {
  using namespace std::string_view_literals;
  const std::string_view held = input.head();
  const bool is_held = held.size() >= input.total_size();
  if (is_held && held.find_first_not_of(" \t\r\n\0"sv, end) == std::string_view::npos) return 0;
  return input.total_size() - end;
}

}  // namespace

Cloud read_pcd(Input& input, const ReadOptions& options) {
  const PcdHeader header = parse_pcd_header(input.head(), input.name(), options.columns);
  std::vector<std::string> warnings;
  const PcdAttributes attributes = choose_pcd_attributes(header, options, input.name(), warnings);
  PcdBody body = read_body(header, attributes, input, options.threads);
  Cloud cloud{std::move(body.points), std::move(warnings), options.columns, std::move(body.attributes)};
  attributes.chosen.describe(cloud);
  if (options.columns.empty())
    for (const std::size_t axis : header.axes) cloud.columns.push_back(header.fields[axis].name);
  if (const std::size_t rest = bytes_after(body.end, input); rest > 0)
    cloud.warnings.push_back(fmt::format("{}: {} bytes after the last point are not read", input.name(), rest));
  return cloud;
}

}  // namespace kann::io
