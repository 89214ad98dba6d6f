#include "problem/frame.hpp"

#include <algorithm>
#include <cmath>

namespace kann::problem {
namespace {

std::array<double, 3> centre(const geometry::Box& box, int dimensions) {
  std::array<double, 3> middle{};
  for (int a = 0; a < dimensions; ++a) middle[a] = box.lo[a] / 2 + box.hi[a] / 2;
  return middle;
}

/// The largest distance of the box from `origin` along any axis.
double reach(const geometry::Box& box, int dimensions, const std::array<double, 3>& origin) {
  double largest = 0;
  for (int a = 0; a < dimensions; ++a)
    largest = std::max({largest, std::abs(box.lo[a] - origin[a]), std::abs(box.hi[a] - origin[a])});
  return largest;
}

/// The power of two that scales `length` to the order of magnitude of 2^exponent.
double scale_to(int exponent, double length) { return std::ldexp(1.0, std::min(exponent - std::ilogb(length), 1000)); }

}  // namespace

Frame choose_frame(const Survey& data, const geometry::Box& core, int dimensions) {
  Frame frame;
  // Differences of close float32 numbers are exact, while a shift of the origin would round small ones: so there is an
  // origin only where float32 does not hold the coordinates. It is the centre of the core: seen from the middle between
  // a map tile and one point at (0, 0, 0), float32 would round the tile coarsely.
  if (!data.exact) frame.origin = centre(core, dimensions);

  // Squares of numbers far from 1 overflow or underflow. A power of two rounds nothing. With the widest difference
  // below 2⁶² no squared distance overflows, and differences down to 2⁻⁶³ have a square of full precision. Where the
  // core is too small for that, the far points overflow.
  // Queries as far from the origin as the data must not overflow, either.
  const double widest = std::max(data.box.extent(dimensions), reach(data.box, dimensions, frame.origin));
  const double finest = core.extent(dimensions) > 0 ? core.extent(dimensions) : widest;
  if (widest > 0x1p60 || (finest > 0 && finest < 0x1p-20))
    frame.scale = finest < 0x1p-100 * widest ? scale_to(-38, finest) : scale_to(61, widest);
  return frame;
}

FrameGrid choose_frame_grid(const Survey& data, const std::vector<double>& sample, int dimensions) {
  const geometry::Box core = geometry::core_box(data.box, sample, dimensions);
  FrameGrid out;
  out.frame = choose_frame(data, core, dimensions);
  const geometry::Box box = out.frame.apply(geometry::grid_box(data.box, core, dimensions), dimensions);
  out.grid = dimensions == 3 ? geometry::grid_over<3>(box) : geometry::grid_over<2>(box);
  return out;
}

}  // namespace kann::problem
