#include "io/points/cloud_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kann/error.hpp"

#include "io/files/refusal.hpp"
#include "io/points/las/las_header.hpp"
#include "io/points/numpy/npy_layout.hpp"
#include "io/points/ply/ply_header.hpp"
#include "io/points/sniff.hpp"
#include "io/points/table/axes.hpp"

namespace kann::io {
namespace {

using Layout = std::optional<RowLayout>;

std::size_t bytes_of(const PlyElement& element) {
  std::size_t bytes = 0;
  for (const PlyProperty& property : element.properties) bytes += size_of(property.type);
  return bytes;
}

Layout ply_layout(Input& input, const ReadOptions& options) {
  const PlyHeader header = parse_ply_header(input.head(), input.name(), options.columns);
  if (header.encoding == PlyEncoding::ascii || input.head()[header.body - 1] != '\n') return std::nullopt;
  if (std::ranges::any_of(header.elements, &PlyElement::has_list)) return std::nullopt;
  const std::endian order = header.encoding == PlyEncoding::binary_big_endian ? std::endian::big : std::endian::little;
  RowLayout layout;
  layout.columns = options.columns;
  WideSize begin = header.body;
  for (std::size_t e = 0; e < header.vertex; ++e)
    begin += WideSize{header.elements[e].count} * bytes_of(header.elements[e]);
  if (begin > input.expected_size()) return std::nullopt;
  const PlyElement& vertex = header.elements[header.vertex];
  layout.rows = {static_cast<std::size_t>(begin), vertex.count, bytes_of(vertex)};
  for (const std::size_t axis : header.axes) {
    std::size_t offset = 0;
    for (std::size_t p = 0; p < axis; ++p) offset += size_of(vertex.properties[p].type);
    layout.axes.push_back({vertex.properties[axis].type, offset, order});
  }
  return layout;
}

Layout npy_layout(Input& input, const ReadOptions& options) {
  const NpyLayout npy = parse_npy_layout(input.head(), input.name(), options.columns);
  RowLayout layout;
  layout.columns = npy.columns;
  layout.rows = {npy.data, npy.rows, npy.stride};
  for (const NpyAxis& axis : npy.axes) {
    if (axis.first + size_of(axis.type) > npy.stride) return std::nullopt;  // Fortran order
    layout.axes.push_back({axis.type, static_cast<std::size_t>(axis.first), axis.order});
  }
  return layout;
}

Layout las_layout(Input& input, const ReadOptions& options) {
  const LasHeader header = parse_las_header(input.head(), input.name());
  const TableColumns table{"coordinate", 3, {"x", "y", "z"}};
  const std::vector<std::size_t> axes =
      options.columns.empty() ? std::vector<std::size_t>{0, 1, 2} : chosen_axes(table, options.columns, input.name());
  RowLayout layout;
  layout.columns = options.columns;
  layout.rows = {header.begin, header.points, header.record};
  layout.is_scaled = true;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    layout.axes.push_back({ScalarType::int32, 4 * axes[a], std::endian::little});
    layout.scale[a] = header.scale[axes[a]];
    layout.offset[a] = header.offset[axes[a]];
  }
  return layout;
}

Layout layout_of(PointFormat format, Input& input, const ReadOptions& options) try {
  switch (format) {
    case PointFormat::ply:
      return ply_layout(input, options);
    case PointFormat::npy:
      return npy_layout(input, options);
    case PointFormat::las:
      return las_layout(input, options);
    default:
      return std::nullopt;
  }
} catch (const Error&) {
  if (input.head().size() == input.expected_size()) throw;
  return std::nullopt;  // a header may be longer than the head
}

}  // namespace

std::optional<CloudRows> CloudRows::open(const std::string& path, const ReadOptions& options) {
  check_read_options(options);
  if (path == "-") return std::nullopt;
  auto input = std::make_unique<Input>(path);
  if (input->expected_size() == 0 || input->head().empty()) return std::nullopt;
  const PointFormat format = choose_format(input->name(), input->head(), options.format).format;
  Layout layout = layout_of(format, *input, options);
  if (!layout || layout->rows.stride == 0) return std::nullopt;
  check_row_count(*input, layout->rows);
  return CloudRows(std::move(input), std::move(*layout), options.threads);
}

bool CloudRows::is_float64() const {
  return !std::ranges::all_of(layout_.axes, [](const RowAxis& axis) { return fits_float32(axis.type); });
}

Points CloudRows::read(std::int64_t first, std::int64_t count) const {
  const FixedRows part{layout_.rows.begin + static_cast<std::size_t>(first) * layout_.rows.stride,
                       static_cast<std::uint64_t>(count), layout_.rows.stride};
  Points points = read_fixed_rows(*input_, part, layout_.axes, threads_);
  if (!layout_.is_scaled) return points;
  auto& values = std::get<Array<double>>(points.coordinates);
  const std::size_t d = layout_.axes.size();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] * layout_.scale[i % d] + layout_.offset[i % d];
  return points;
}

}  // namespace kann::io
