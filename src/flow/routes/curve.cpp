#include "flow/routes/curve.hpp"

#include <cmath>

#include "geometry/hilbert.hpp"

namespace kann::flow {
namespace {

template <int D>
std::uint64_t hilbert_position(const Coordinates& point, const Coordinates& low, double cells_per_unit) {
  constexpr double last = (std::uint64_t{1} << geometry::k_cell_bits<D>)-1;
  std::uint32_t cell[D];
  for (int a = 0; a < D; ++a) {
    const double x = (point[a] - low[a]) * cells_per_unit;
    cell[a] = static_cast<std::uint32_t>(x > 0 ? std::min(x, last) : 0) << geometry::k_hilbert_left<D>;
  }
  std::uint64_t code = 0;
  std::uint32_t parity = 0;
  for (int bit = 0; bit < geometry::k_cell_bits<D>; ++bit) geometry::add_hilbert_digit(cell, parity, code);
  return code;
}

}  // namespace

Curve::Curve(const geometry::Box& bounds, const std::vector<double>& sample, int dimensions) : dimensions_(dimensions) {
  const geometry::Box box = geometry::grid_box(bounds, geometry::core_box(bounds, sample, dimensions), dimensions);
  low_ = box.lo;
  const double extent = box.extent(dimensions), cells = dimensions == 3 ? 0x1p20 : 0x1p30;
  // Limited, so that a tiny box has a finite scale
  if (extent > 0) cells_per_unit_ = std::min(cells / extent, 0x1p1000);
}

std::uint64_t Curve::position(const Coordinates& point) const {
  return dimensions_ == 3 ? hilbert_position<3>(point, low_, cells_per_unit_)
                          : hilbert_position<2>(point, low_, cells_per_unit_);
}

}  // namespace kann::flow
