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

/// The fields that are attributes.
ChosenAttributes choose_fields(const NpyLayout& layout, const ReadRequest& options, const std::string& file,
                               std::vector<std::string>& warnings) {
  std::vector<AttributeColumn> table;
  for (const NpyAttribute& field : layout.fields) table.push_back({field.name, field.fault, false, field.is_bool});
  return chosen_attributes("field", table, layout.axis_fields, options, file, warnings);
}

/// The first bytes of the array file: all of its header, unless parse_npy_layout() refuses its length.
std::string front_of(const NpyFile& file) {
  constexpr std::size_t version_place = 6, length_end = 12;  // in version 2.0, whose length has 32 bits
  constexpr std::uint64_t first = length_end + 0xffff;       // holds any header of version 1.0
  std::string bytes;
  const auto read = [&](std::uint64_t count) {
    bytes.resize(static_cast<std::size_t>(std::min(file.size, count)));
    file.input->read_range(static_cast<std::size_t>(file.begin), std::as_writable_bytes(std::span(bytes)));
  };
  read(first);
  if (bytes.size() < first || bytes[version_place] < 2) return bytes;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + length_end - sizeof length, sizeof length);
  if (length <= k_npy_header_bytes && length_end + std::uint64_t{length} > first)
    read(length_end + std::uint64_t{length});
  return bytes;
}

}  // namespace

NpyLayout parse_npy_layout(const NpyFile& file, const ReadRequest& options) {
  return parse_npy_layout(front_of(file), file.name, options);
}

RowLayout npy_layout(const NpyFile& file, const ReadRequest& options) {
  const NpyLayout layout = parse_npy_layout(file, options);
  const std::uint64_t left = file.size - layout.data;
  if (layout.bytes > left)
    refuse(file.name, fmt::format("shape {} needs {} bytes, file holds {}", layout.shape, layout.bytes, left));
  RowLayout found{.input = file.input, .file = file.name};
  found.rows = {static_cast<std::size_t>(file.begin + layout.data), layout.rows,
                static_cast<std::size_t>(layout.stride)};
  found.axes = layout.axes;
  Cloud& cloud = found.without_rows;
  cloud.columns = layout.columns;
  if (layout.fields.empty()) {
    found.add_coordinates(options, file.name);
  } else {
    const ChosenAttributes chosen = choose_fields(layout, options, file.name, cloud.warnings);
    for (const std::size_t i : chosen.columns) found.add_attribute(layout.fields[i].name, layout.fields[i].values);
    chosen.describe(cloud);
  }
  if (left > layout.bytes)
    cloud.warnings.push_back(rest_warning(file.name, static_cast<std::size_t>(left - layout.bytes), "the array"));
  return found;
}

}  // namespace kann::formats
