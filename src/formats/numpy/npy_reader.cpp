// Reads NumPy array files: checks the claimed shape against the size of the file, then copies the columns.
#include "formats/numpy/npy_reader.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/table/attributes.hpp"

namespace kann::formats {

namespace {

/// The fields that are attributes; an array without fields has none.
ChosenAttributes choose_fields(const NpyLayout& layout, const ReadOptions& options, const std::string& file,
                               std::vector<std::string>& warnings) {
  if (layout.fields.empty()) refuse_attributes(options, file);
  std::vector<AttributeColumn> table;
  for (const NpyAttribute& field : layout.fields) table.push_back({field.name, field.fault, false, field.is_bool});
  return chosen_attributes("field", table, layout.axis_fields, options, file, warnings);
}

/// Gives the cloud the fields that are attributes, whose values begin at `data`.
void read_attributes(const NpyLayout& layout, const char* data, const ReadOptions& options, const std::string& file,
                     Cloud& cloud) {
  std::vector<std::string> names;
  std::vector<Column> columns;
  const ChosenAttributes chosen = choose_fields(layout, options, file, cloud.warnings);
  for (const std::size_t i : chosen.columns) {
    const NpyAxis& values = layout.fields[i].values;
    names.push_back(layout.fields[i].name);
    columns.push_back({values.type, data + values.first, static_cast<std::size_t>(layout.stride), values.order});
  }
  cloud.attributes = gather_attributes(names, columns, static_cast<std::size_t>(layout.rows), file);
  chosen.describe(cloud);
}

void check_size(const NpyLayout& layout, std::uint64_t left, const std::string& file) {
  if (layout.bytes > left)
    refuse(file, fmt::format("shape {} needs {} bytes, file holds {}", layout.shape, layout.bytes, left));
}

void warn_of_rest(const NpyLayout& layout, std::uint64_t left, const std::string& file,
                  std::vector<std::string>& warnings) {
  if (left > layout.bytes)
    warnings.push_back(rest_warning(file, static_cast<std::size_t>(left - layout.bytes), "the array"));
}

}  // namespace

RowLayout npy_layout(const NpyLayout& layout, const ReadOptions& options, std::uint64_t begin, std::uint64_t size,
                     const std::string& file) {
  const std::uint64_t left = size - layout.data;
  check_size(layout, left, file);
  RowLayout found;
  found.rows = {static_cast<std::size_t>(begin + layout.data), layout.rows, static_cast<std::size_t>(layout.stride)};
  const auto field_of = [](const NpyAxis& values) {
    return RowField{values.type, static_cast<std::size_t>(values.first), values.order};
  };
  for (const NpyAxis& axis : layout.axes) found.axes.push_back(field_of(axis));
  Cloud& cloud = found.without_rows;
  cloud.columns = layout.columns;
  const ChosenAttributes chosen = choose_fields(layout, options, file, cloud.warnings);
  for (const std::size_t i : chosen.columns)
    found.add_attribute(layout.fields[i].name, field_of(layout.fields[i].values));
  chosen.describe(cloud);
  warn_of_rest(layout, left, file, cloud.warnings);
  return found;
}

std::string npy_front(const Input& input, std::uint64_t begin, std::uint64_t size) {
  constexpr std::size_t version_place = 6, length_end = 12;  // in version 2.0, whose length has 32 bits
  constexpr std::uint64_t first = length_end + 0xffff;       // holds any header of version 1.0
  std::string bytes;
  const auto read = [&](std::uint64_t count) {
    bytes.resize(static_cast<std::size_t>(std::min(size, count)));
    input.read_range(static_cast<std::size_t>(begin), std::as_writable_bytes(std::span(bytes)));
  };
  read(first);
  if (bytes.size() < first || bytes[version_place] < 2) return bytes;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + length_end - sizeof length, sizeof length);
  if (length <= k_npy_header_bytes && length_end + std::uint64_t{length} > first)
    read(length_end + std::uint64_t{length});
  return bytes;
}

RowCloud npy_rows(std::shared_ptr<Input> input, const ReadOptions& options) {
  const std::string front = npy_front(*input, 0, input->expected_size());
  const NpyLayout layout = parse_npy_layout(front, input->name(), options);
  if (layout.may_be_inexact()) return {.obstacle = std::string(k_wide_integers)};
  RowLayout rows = npy_layout(layout, options, 0, input->expected_size(), input->name());
  return row_cloud(std::move(input), std::move(rows), options.threads);
}

Cloud read_npy(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  NpyLayout layout = parse_npy_layout(bytes, file, options);
  const std::size_t left = bytes.size() - layout.data;
  check_size(layout, left, file);

  std::vector<Column> axes;
  for (const NpyAxis& axis : layout.axes)
    axes.push_back({axis.type, bytes.data() + layout.data + axis.first, layout.stride, axis.order});
  for (const Column& axis : axes)
    if (const auto row = first_inexact_row(axis, static_cast<std::size_t>(layout.rows)))
      refuse(file, fmt::format("row {} has a whole number past 2^53, which float64 does not hold exactly", *row));
  Cloud cloud{gather_columns(axes, static_cast<std::int64_t>(layout.rows)), {}, std::move(layout.columns)};
  read_attributes(layout, bytes.data() + layout.data, options, file, cloud);
  warn_of_rest(layout, left, file, cloud.warnings);
  return cloud;
}

}  // namespace kann::formats
