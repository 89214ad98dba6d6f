// Writes the records of a LAS file as they stand, with attributes as extra bytes.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "io/clouds/cloud_writers.hpp"
#include "io/clouds/las_extra.hpp"
#include "io/clouds/las_field_column.hpp"
#include "io/files/refusal.hpp"
#include "io/points/las/las_header.hpp"
#include "io/points/las/las_vlrs.hpp"

namespace kann::io {
namespace {

constexpr std::size_t k_returns_at = 14;  // offset of the return number

/// @param returns the numbers of the returns, if they are not those of the records
LasSummary summary_of(const LasRecords& las, const LasHeader& header, const Attribute* returns) {
  LasSummary out;
  out.points = las.records.size() / las.record_bytes;
  const unsigned mask = header.format < 6 ? 7 : 15;
  std::array<std::int32_t, 3> minimum, maximum;
  minimum.fill(std::numeric_limits<std::int32_t>::max());
  maximum.fill(std::numeric_limits<std::int32_t>::min());
  const char* record = las.records.data();
  for (std::uint64_t i = 0; i < out.points; ++i, record += las.record_bytes) {
    std::int32_t integers[3];
    std::memcpy(integers, record, sizeof integers);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      minimum[axis] = std::min(minimum[axis], integers[axis]);
      maximum[axis] = std::max(maximum[axis], integers[axis]);
    }
    const unsigned number = returns ? static_cast<unsigned>(returns->at(static_cast<std::int64_t>(i)))
                                    : static_cast<unsigned char>(record[k_returns_at]) & mask;
    if (number > 0) ++out.by_return[number - 1];
  }
  for (std::size_t axis = 0; axis < 3 && out.points > 0; ++axis) {
    const double a = minimum[axis] * header.scale[axis] + header.offset[axis];
    const double b = maximum[axis] * header.scale[axis] + header.offset[axis];
    out.minimum[axis] = std::min(a, b);  // a scale may be negative
    out.maximum[axis] = std::max(a, b);
  }
  return out;
}

}  // namespace

std::vector<std::string> write_las_records(const LasRecords& las, std::span<const Attribute> attributes, ByteSink& sink,
                                           int threads) {
  const std::string& file = sink.name();
  const LasHeader header = parse_las_header(las.head, file);
  if (header.begin != las.head.size() || header.record != las.record_bytes)
    refuse(file, fmt::format("the LAS header is of {} bytes before records of {}, not of {} and {}", header.begin,
                             header.record, las.head.size(), las.record_bytes));
  LasExtras extras(header.format, las.record_bytes);
  for (const LasVlr& vlr : las_vlrs(las.head))
    if (vlr.describes_extra_bytes()) {
      const std::size_t begin = vlr.begin + k_vlr_header_bytes;
      for (const LasExtraField& field : las_extra_fields(std::string_view(las.head).substr(begin, vlr.end - begin)))
        extras.reserve(field.name);
    }
  std::vector<RowColumn> columns = {[&](std::int64_t first, std::int64_t count, char* out, std::size_t stride) {
    const char* record = las.records.data() + static_cast<std::size_t>(first) * las.record_bytes;
    for (std::int64_t i = 0; i < count; ++i, out += stride, record += las.record_bytes)
      std::memcpy(out, record, las.record_bytes);
  }};
  const LasColours colours = las_colours(attributes);
  std::vector<LasField> fields = las_fields(header, las.head);
  const Attribute* returns = nullptr;
  for (const Attribute& attribute : attributes) {
    const auto field = std::ranges::find(fields, attribute.name, &LasField::name);
    if (field == fields.end() || !fits_las_field(attribute, *field)) {
      extras.add(attribute);
      continue;
    }
    if (field->name == "return_number") returns = &attribute;
    columns.push_back(las_field_column(*field, attribute.values, las_factor(*field, colours)));
    fields.erase(field);
  }
  extras.check_size(file);

  const LasSummary summary = summary_of(las, header, returns);
  const std::string head =
      extended_las_head(las.head, extras.record_bytes(), summary, extras.descriptions(), las.extended_count, file);
  columns.insert(columns.end(), extras.columns().begin(), extras.columns().end());
  sink.write(as_bytes(head));
  write_rows(static_cast<std::int64_t>(summary.points), extras.record_bytes(), columns, sink, threads);
  sink.write(as_bytes(las.extended));
  std::vector<std::string> warnings = extras.warnings(file);
  if (header.has_waveforms) warnings.push_back(fmt::format("{}: the waveforms of the points are left out", file));
  return warnings;
}

}  // namespace kann::io
