// Reads NumPy array files: checks the claimed shape against the size of the file, then copies the columns.
#include "io/points/numpy/npy_reader.hpp"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "io/files/refusal.hpp"
#include "io/points/numpy/npy_layout.hpp"
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

}  // namespace

Cloud read_npy(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  NpyLayout layout = parse_npy_layout(bytes, file, options.columns);
  const std::size_t left = bytes.size() - layout.data;
  if (layout.bytes > left)
    refuse(file, fmt::format("shape {} needs {} bytes, file holds {}", layout.shape, layout.bytes, left));

  std::vector<Column> axes;
  for (const NpyAxis& axis : layout.axes)
    axes.push_back({axis.type, bytes.data() + layout.data + axis.first, layout.stride, axis.order});
  Cloud cloud{gather_columns(axes, static_cast<std::int64_t>(layout.rows)), {}, std::move(layout.columns)};
  read_attributes(layout, bytes.data() + layout.data, options, file, cloud);
  if (left > layout.bytes)
    cloud.warnings.push_back(fmt::format("{}: {} bytes after the array are not read", file, left - layout.bytes));
  return cloud;
}

}  // namespace kann::io
