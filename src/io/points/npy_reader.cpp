// Reads NumPy array files: checks the claimed shape against the size of the file, then copies the columns.
#include <fmt/format.h>
#include <vector>

#include "io/files/refusal.hpp"
#include "io/points/npy_layout.hpp"
#include "io/points/readers.hpp"

namespace kann::io {

Cloud read_npy(std::string_view bytes, const std::string& file) {
  const NpyLayout layout = parse_npy_layout(bytes, file);
  const std::size_t scalar = size_of(layout.type);
  const auto d = static_cast<std::size_t>(layout.columns);
  const std::size_t left = bytes.size() - layout.data;
  const WideSize need = WideSize{layout.rows} * d * scalar;
  if (need > left)
    refuse(file, fmt::format("shape ({}, {}) needs {} bytes, file holds {}", layout.rows, d, need, left));

  std::vector<Column> axes;
  for (std::size_t a = 0; a < d; ++a) {
    const std::size_t offset = layout.is_fortran_order ? a * layout.rows * scalar : a * scalar;
    const std::size_t stride = layout.is_fortran_order ? scalar : d * scalar;
    axes.push_back({layout.type, bytes.data() + layout.data + offset, stride});
  }
  Cloud cloud{gather_columns(axes, static_cast<std::int64_t>(layout.rows), layout.order), {}};
  if (left > need)
    cloud.warnings.push_back(fmt::format("{}: {} bytes after the array are not read", file, left - need));
  return cloud;
}

}  // namespace kann::io
