#include "problem/frame.hpp"

#include <algorithm>
#include <cmath>

#include "kann/error.hpp"

#include "base/short_number.hpp"

namespace kann::problem {
namespace {

/// The smallest box around both.
geometry::Box joined(const Survey& a, const Survey& b) {
  if (a.valid == 0) return b.box;
  if (b.valid == 0) return a.box;
  geometry::Box box;
  for (int i = 0; i < 3; ++i) {
    box.lo[i] = std::min(a.box.lo[i], b.box.lo[i]);
    box.hi[i] = std::max(a.box.hi[i], b.box.hi[i]);
  }
  return box;
}

std::array<double, 3> centre(const geometry::Box& box, int dimensions) {
  std::array<double, 3> middle{};
  for (int a = 0; a < dimensions; ++a) middle[a] = box.lo[a] / 2 + box.hi[a] / 2;
  return middle;
}

/// The largest distance from `origin` along an axis.
double reach(const geometry::Box& box, int dimensions, const std::array<double, 3>& origin = {}) {
  double largest = 0;
  for (int a = 0; a < dimensions; ++a)
    largest = std::max({largest, std::abs(box.lo[a] - origin[a]), std::abs(box.hi[a] - origin[a])});
  return largest;
}

}  // namespace

Frame choose_frame(const Survey& data, const Survey& queries, const geometry::Box& core, const std::string& data_name,
                   int dimensions) {
  Frame frame;
  // Differences of close float32 numbers are exact, while a shift of the origin would round small ones: so there is an
  // origin only where float32 does not hold the coordinates. It is the centre of the core: seen from the middle between
  // a map tile and one point at (0, 0, 0), float32 would round the tile coarsely.
  if (!data.exact || !queries.exact) frame.origin = centre(core, dimensions);

  // Squares of numbers far from 1 overflow or underflow. A power of two rounds nothing. With the widest difference
  // below 2⁶² no squared distance overflows, and differences down to 2⁻⁶³ have a square of full precision.
  const double widest = joined(data, queries).extent(dimensions);
  if (!std::isfinite(widest))
    throw Error(ErrorKind::bad_input, "the clouds together are wider than a float64 can tell; scale them down");
  const double finest = core.extent(dimensions) > 0 ? core.extent(dimensions) : widest;
  if (widest > 0x1p60 || (finest > 0 && finest < 0x1p-20))
    frame.scale = std::ldexp(1.0, std::min(61 - std::ilogb(widest), 1000));
  // Far from the origin, scaled coordinates could overflow although their differences do not.
  if (reach(joined(data, queries), dimensions) * frame.scale > 0x1p120) frame.origin = centre(core, dimensions);
  if (finest * frame.scale < 0x1p-40 && widest * frame.scale > 0x1p60)
    throw Error(ErrorKind::bad_input, data_name + ": most points lie within " + base::short_number(finest) +
                                          ", but the clouds are " + base::short_number(widest) +
                                          " wide: float32 distances cannot hold both; remove the far points");
  if (!data.exact || !queries.exact) frame.rounding = 0x1p-24 * reach(core, dimensions, frame.origin);
  return frame;
}

}  // namespace kann::problem
