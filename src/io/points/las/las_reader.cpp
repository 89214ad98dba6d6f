#include "io/points/las/las_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/files/refusal.hpp"
#include "io/points/las/las_fields.hpp"
#include "io/points/las/las_header.hpp"
#include "io/points/las/las_vlrs.hpp"
#include "io/points/table/attributes.hpp"
#include "io/points/table/axes.hpp"
#include "io/points/table/fixed_rows.hpp"
#include "io/points/table/row_layout.hpp"

namespace kann::io {
namespace {

/// Reads bytes that total_size() has shown to be there.
std::string read_bytes(Input& input, std::size_t begin, std::size_t size) {
  check_large_allocation(static_cast<double>(size), input.name());
  std::string read;
  input.for_each_block(begin, size, std::max<std::size_t>(1, size), 1,
                       [&](std::size_t, std::string_view bytes) { read = bytes; });
  return read;
}

/// Adds the extended variable length records. The first one that is not whole, and all after it, are left out, with a
/// warning.
void read_extended(Input& input, const LasHeader& header, LasRecords& records, std::vector<std::string>& warnings) {
  const std::uint64_t size = input.total_size(), points_end = header.begin + header.points * header.record;
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

/// Reads the records: their coordinates, and what else ReadOptions ask for.
class LasRows {
 public:
  LasRows(Input& input, const LasHeader& header, const FixedRows& rows, std::span<const std::size_t> axes)
      : input_(input), header_(header), rows_(rows), axes_(axes) {
    const std::size_t d = axes.size();
    check_large_allocation(static_cast<double>(rows.rows) * static_cast<double>(d * sizeof(double)), input.name());
    coordinates_.resize(static_cast<std::size_t>(rows.rows) * d);
  }

  /// Makes read() read these fields, too.
  void add_attributes(std::vector<LasField> fields) {
    double bytes = 0;
    for (const LasField& field : fields)
      bytes += static_cast<double>(rows_.rows) * static_cast<double>(size_of(field.type()));
    check_large_allocation(bytes, input_.name());
    for (const LasField& field : fields)
      attributes.push_back({field.name, make_values(field.type(), static_cast<std::size_t>(rows_.rows))});
    fields_ = std::move(fields);
  }

  /// Makes read() keep the records as they stand, too.
  void keep_records(std::string head) {
    check_large_allocation(static_cast<double>(rows_.rows) * static_cast<double>(rows_.stride), input_.name());
    records = std::make_shared<LasRecords>();
    records->head = std::move(head);
    records->record_bytes = rows_.stride;
    records->records.resize(static_cast<std::size_t>(rows_.rows) * rows_.stride);
  }

  Points read(int threads) {
    for_each_row_block(input_, rows_, threads,
                       [&](std::uint64_t first, std::size_t count, const char* bytes) { take(first, count, bytes); });
    return {static_cast<int>(axes_.size()), std::move(coordinates_)};
  }

  std::vector<Attribute> attributes;
  std::shared_ptr<LasRecords> records;

 private:
  void take(std::uint64_t first, std::size_t count, const char* bytes) {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      read_las_field(fields_[i], bytes, rows_.stride, count, attributes[i].values, static_cast<std::size_t>(first));
    if (records && count > 0) std::memcpy(records->records.data() + first * rows_.stride, bytes, count * rows_.stride);
    double* out = coordinates_.data() + first * axes_.size();
    for (std::size_t i = 0; i < count; ++i, bytes += rows_.stride) {
      std::int32_t integers[3];
      std::memcpy(integers, bytes, sizeof integers);
      for (const std::size_t axis : axes_) *out++ = integers[axis] * header_.scale[axis] + header_.offset[axis];
    }
  }

  Input& input_;
  const LasHeader& header_;
  const FixedRows& rows_;
  const std::span<const std::size_t> axes_;
  Array<double> coordinates_;
  std::vector<LasField> fields_;
};

/// Adds the fields that are attributes to what is read.
ChosenAttributes choose_attributes(const LasHeader& header, std::string_view head, std::span<const std::size_t> axes,
                                   const ReadOptions& options, const std::string& file, LasRows& read,
                                   std::vector<std::string>& warnings) {
  const std::vector<LasField> fields = las_fields(header, head);
  std::vector<AttributeColumn> table;
  for (const LasField& field : fields) table.push_back({field.name, field.fault});
  std::vector<LasField> taken;
  ChosenAttributes chosen = chosen_attributes("field", table, axes, options, file, warnings);
  for (const std::size_t i : chosen.columns) taken.push_back(fields[i]);
  read.add_attributes(std::move(taken));
  return chosen;
}

std::vector<std::size_t> axes_of(const ReadOptions& options, const std::string& file) {
  const TableColumns table{"coordinate", 3, {"x", "y", "z"}};
  return options.columns.empty() ? std::vector<std::size_t>{0, 1, 2} : chosen_axes(table, options.columns, file);
}

/// Where the points are, with warnings about angles and about bytes after the points.
RowLayout layout_of(Input& input, const LasHeader& header, std::span<const std::size_t> axes,
                    const ReadOptions& options) {
  RowLayout layout;
  layout.rows = {header.begin, header.points, header.record};
  if (header.begin > input.total_size())
    refuse(input.name(), fmt::format("the points begin at byte {}, file holds {}", header.begin, input.total_size()));
  check_row_count(input, layout.rows);
  layout.is_scaled = true;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    layout.axes.push_back({ScalarType::int32, sizeof(std::int32_t) * axes[a], std::endian::little});
    layout.scale[a] = header.scale[axes[a]];
    layout.offset[a] = header.offset[axes[a]];
  }
  layout.columns = options.columns;
  const std::string_view head = input.head().substr(0, header.begin);
  if (is_geographic(head, las_vlrs(head)))
    layout.warnings.push_back(
        fmt::format("{}: its coordinate system has longitude and latitude, which are angles; "
                    "distances are those of a plane",
                    input.name()));
  const std::size_t rest = input.total_size() - header.begin - static_cast<std::size_t>(header.points) * header.record;
  if (rest > 0 && !header.has_tail())
    layout.warnings.push_back(fmt::format("{}: {} bytes after the last point are not read", input.name(), rest));
  return layout;
}

}  // namespace

RowCloud las_rows(std::shared_ptr<Input> input, const ReadOptions& options) {
  const LasHeader header = parse_las_header(input->head(), input->name());
  RowLayout layout = layout_of(*input, header, axes_of(options, input->name()), options);
  return row_cloud(std::move(input), std::move(layout), options.threads);
}

Cloud read_las(Input& input, const ReadOptions& options) {
  const LasHeader header = parse_las_header(input.head(), input.name());
  const std::vector<std::size_t> axes = axes_of(options, input.name());
  const RowLayout layout = layout_of(input, header, axes, options);

  LasRows read(input, header, layout.rows, axes);
  Cloud cloud{{}, {}, options.columns};
  ChosenAttributes chosen;
  if (wants_attributes(options) || options.las_records) {
    std::string head = read_bytes(input, 0, header.begin);
    if (wants_attributes(options))
      chosen = choose_attributes(header, head, axes, options, input.name(), read, cloud.warnings);
    if (options.las_records) {
      read.keep_records(std::move(head));
      read_extended(input, header, *read.records, cloud.warnings);
    }
  }
  cloud.points = read.read(options.threads);
  cloud.attributes = std::move(read.attributes);
  chosen.describe(cloud);
  cloud.las = std::move(read.records);
  cloud.warnings.insert(cloud.warnings.end(), layout.warnings.begin(), layout.warnings.end());
  return cloud;
}

}  // namespace kann::io
