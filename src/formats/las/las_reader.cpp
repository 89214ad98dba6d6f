#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/las/las_coordinate_system.hpp"
#include "formats/las/las_fields.hpp"
#include "formats/las/las_header.hpp"
#include "formats/las/las_vlrs.hpp"
#include "formats/las/laz.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/fixed_rows.hpp"
#include "formats/table/layouts.hpp"
#include "formats/table/number.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {
namespace {

/// Reads bytes that total_size() has shown to be there.
std::string read_bytes(const Input& input, std::size_t begin, std::size_t size) {
  base::check_host_memory(static_cast<double>(size), input.name().c_str());
  std::string read(size, '\0');
  input.read_range(begin, std::as_writable_bytes(std::span(read)));
  return read;
}

/// The byte after the last point. How many bytes compressed points take is not said.
std::uint64_t end_of_points(const LasHeader& header) {
  return header.is_compressed ? header.begin : header.begin + header.points * header.record;
}

/// Adds the extended variable length records. The first one that is not whole, and all after it, are left out, with a
/// warning.
void read_extended(Input& input, const LasHeader& header, LasRecords& records, std::vector<std::string>& warnings) {
  const std::uint64_t size = input.total_size(), points_end = end_of_points(header);
  std::uint64_t begin = header.extended_begin;
  for (std::uint32_t read = 0; read < header.extended_records; ++read) {
    constexpr std::uint64_t head_bytes = k_extended_vlr_header_bytes;
    std::string record;
    std::uint64_t content = 0;
    if (begin >= points_end && begin <= size && size - begin >= head_bytes) {
      record = read_bytes(input, static_cast<std::size_t>(begin), head_bytes);
      content = las_extended_vlr(record).bytes;
    }
    if (record.empty() || content > size - begin - head_bytes) {
      warnings.push_back(
          fmt::format("{}: {} of {} extended variable length records do not lie in the file; they are "
                      "left out",
                      input.name(), header.extended_records - read, header.extended_records));
      return;
    }
    if (!las_extended_vlr(record).has_waveforms) {
      records.extended += record;
      records.extended +=
          read_bytes(input, static_cast<std::size_t>(begin + head_bytes), static_cast<std::size_t>(content));
      ++records.extended_count;
    }
    begin += head_bytes + content;
  }
}

/// Adds the fields that are attributes; `head` is all before the points.
void add_attributes(const LasHeader& header, std::string_view head, std::span<const std::size_t> axes,
                    const ReadRequest& options, const std::string& file, RowLayout& layout) {
  const std::vector<LasField> fields = las_fields(header, head);
  std::vector<AttributeColumn> table;
  for (const LasField& field : fields) table.push_back({field.name, field.fault});
  const ChosenAttributes chosen = chosen_attributes("field", table, axes, options, file, layout.without_rows.warnings);
  for (const std::size_t i : chosen.columns) {
    layout.add_attribute(fields[i].name, fields[i].in_row());
    if (!fields[i].has_nan()) layout.without_rows.attributes.back().no_data = fields[i].no_data;
  }
  chosen.describe(layout.without_rows);
  for (Attribute& attribute : layout.without_rows.attributes)
    if (attribute.meaning == Meaning::gps_time)
      attribute.meaning = header.has_standard_time ? Meaning::gps_standard_time : Meaning::gps_week_time;
}

/// Adds what the records need besides the points.
void add_records(Input& input, const LasHeader& header, std::string head, Cloud& cloud) {
  auto records = std::make_shared<LasRecords>();
  records->head = std::move(head);
  records->record_bytes = header.record;
  read_extended(input, header, *records, cloud.warnings);
  cloud.las = std::move(records);
}

std::vector<std::size_t> axes_of(const ReadRequest& options, const std::string& file) {
  const TableColumns table{"coordinate", 3, {"x", "y", "z"}};
  return options.columns.empty() ? std::vector<std::size_t>{0, 1, 2} : chosen_axes(table, options, file);
}

/// The digits after the point of a scale or an offset, as it is written: 2 for 0.01. At most ten are counted.
int digits_of(double value) {
  int digits = 0;
  for (double written = 0; digits < 10; ++digits)
    if (parse_number(fmt::format("{:.{}f}", value, digits), written) == NumberFault::none && written == value) break;
  return digits;
}

/// Cloud::decimals. None where coordinates may have more than nine digits after the point, or before it.
std::vector<int> decimals_of(const LasHeader& header, std::span<const std::size_t> axes) {
  std::vector<int> decimals;
  for (const std::size_t axis : axes) {
    decimals.push_back(std::max(digits_of(header.scale[axis]), digits_of(header.offset[axis])));
    if (decimals.back() > 9 || std::abs(header.scale[axis]) > 0.1 || std::abs(header.offset[axis]) > 5e8) return {};
  }
  return decimals;
}

}  // namespace

RowLayout las_layout(std::shared_ptr<Input> from, const ReadRequest& options) {
  Input& input = *from;
  const std::string& file = input.name();
  const LasHeader header = parse_las_header(input.head(), file);
  const std::vector<std::size_t> axes = axes_of(options, file);
  RowLayout layout{.input = std::move(from)};
  layout.rows = {header.begin, header.points, header.record};
  layout.variant = fmt::format(" {}.{}, point format {}", int{input.head()[las_header::major]},
                               int{input.head()[las_header::minor]}, header.format);
  if (header.begin > input.total_size())
    refuse(file, fmt::format("the points begin at byte {}, file holds {}", header.begin, input.total_size()));
  std::string head;
  if (header.is_compressed || wants_attributes(options) || options.las_records)
    head = read_bytes(input, 0, header.begin);
  if (header.is_compressed)
    layout.packed = open_laz(input, header, head, layout.obstacle);
  else
    check_row_count(input, layout.rows);
  for (const std::size_t axis : axes) layout.axes.push_back(las_coordinate(header, axis).in_row());
  Cloud& cloud = layout.without_rows;
  cloud.columns = options.columns;
  cloud.decimals = decimals_of(header, axes);
  if (wants_attributes(options)) add_attributes(header, head, axes, options, file, layout);
  if (options.las_records) add_records(input, header, std::move(head), cloud);
  cloud.system = cloud.las ? las_coordinate_system(cloud.las->head, cloud.las->extended)
                           : las_coordinate_system(input.head().substr(0, header.begin), "");
  if (is_geographic(input.head().substr(0, header.begin)))
    cloud.warnings.push_back(
        fmt::format("{}: its coordinate system has longitude and latitude, which are angles; "
                    "distances are those of a plane",
                    file));
  const std::size_t rest = header.is_compressed ? 0 : input.total_size() - end_of_points(header);
  if (rest > 0 && !header.has_tail()) cloud.warnings.push_back(rest_warning(file, rest, "the last point"));
  return layout;
}

}  // namespace kann::formats
