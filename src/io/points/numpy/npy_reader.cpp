// Reads NumPy array files: checks the claimed shape against the size of the file, then copies the columns.
#include "io/points/numpy/npy_reader.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

#include "io/files/refusal.hpp"
#include "io/points/table/attributes.hpp"

namespace kann::io {

namespace {

/// Gives the cloud the fields that are attributes, whose values begin at `data`.
void read_attributes(const NpyLayout& layout, const char* data, const ReadOptions& options, const std::string& file,
                     Cloud& cloud) {
  if (!wants_attributes(options)) return;
  if (layout.fields.empty()) refuse_attributes(options, file);
  std::vector<AttributeColumn> table;
  for (const NpyAttribute& field : layout.fields) table.push_back({field.name, field.fault});
  std::vector<std::string> names;
  std::vector<Column> columns;
  const ChosenAttributes chosen = chosen_attributes("field", table, layout.axis_fields, options, file, cloud.warnings);
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
    warnings.push_back(fmt::format("{}: {} bytes after the array are not read", file, left - layout.bytes));
}

/// The front of a file of which `head` is held, with all of the array's header.
std::string header_of(const Input& input) {
  const std::string_view head = input.head();
  constexpr std::size_t length_end = 12;  // of the versions with the longest
  std::uint32_t length = 0;
  if (head.size() >= length_end) std::memcpy(&length, head.data() + length_end - sizeof length, sizeof length);
  const bool is_long = head.size() >= length_end && head[6] > 1;
  const std::size_t size =
      std::min(input.expected_size(), std::max(head.size(), is_long ? length_end + std::size_t{length} : 0));
  std::string bytes(size, '\0');
  input.read_range(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace

RowLayout npy_layout(const NpyLayout& layout, std::uint64_t begin, std::uint64_t size, const std::string& file) {
  const std::uint64_t left = size - layout.data;
  check_size(layout, left, file);
  RowLayout found;
  found.rows = {static_cast<std::size_t>(begin + layout.data), layout.rows, static_cast<std::size_t>(layout.stride)};
  for (const NpyAxis& axis : layout.axes)
    found.axes.push_back({axis.type, static_cast<std::size_t>(axis.first), axis.order});
  found.columns = layout.columns;
  warn_of_rest(layout, left, file, found.warnings);
  return found;
}

RowCloud npy_rows(std::shared_ptr<Input> input, const ReadOptions& options) {
  const NpyLayout layout = parse_npy_layout(header_of(*input), input->name(), options.columns);
  RowLayout rows = npy_layout(layout, 0, input->expected_size(), input->name());
  return row_cloud(std::move(input), std::move(rows), options.threads);
}

Cloud read_npy(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  NpyLayout layout = parse_npy_layout(bytes, file, options.columns);
  const std::size_t left = bytes.size() - layout.data;
  check_size(layout, left, file);

  std::vector<Column> axes;
  for (const NpyAxis& axis : layout.axes)
    axes.push_back({axis.type, bytes.data() + layout.data + axis.first, layout.stride, axis.order});
  Cloud cloud{gather_columns(axes, static_cast<std::int64_t>(layout.rows)), {}, std::move(layout.columns)};
  read_attributes(layout, bytes.data() + layout.data, options, file, cloud);
  warn_of_rest(layout, left, file, cloud.warnings);
  return cloud;
}

}  // namespace kann::io
