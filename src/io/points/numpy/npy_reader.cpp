// Reads NumPy array files: checks the claimed shape against the size of the file, then copies the columns.
#include "io/points/numpy/npy_reader.hpp"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "io/files/refusal.hpp"
#include "io/points/numpy/npy_layout.hpp"

namespace kann::io {

Cloud read_npy(std::string_view bytes, const std::string& file, std::span<const std::string> columns) {
  NpyLayout layout = parse_npy_layout(bytes, file, columns);
  const std::size_t left = bytes.size() - layout.data;
  if (layout.bytes > left)
    refuse(file, fmt::format("shape {} needs {} bytes, file holds {}", layout.shape, layout.bytes, left));

  std::vector<Column> axes;
  for (const NpyAxis& axis : layout.axes)
    axes.push_back({axis.type, bytes.data() + layout.data + axis.first, layout.stride, axis.order});
  Cloud cloud{gather_columns(axes, static_cast<std::int64_t>(layout.rows)), {}, std::move(layout.columns)};
  if (left > layout.bytes)
    cloud.warnings.push_back(fmt::format("{}: {} bytes after the array are not read", file, left - layout.bytes));
  return cloud;
}

}  // namespace kann::io
