#include "search/periodic/images.hpp"

#include <algorithm>
#include <cmath>

#include "search/periodic/margin.hpp"

namespace kann::detail {
namespace {

/// The places of a query along one axis, itself first, and how far the data are from each.
struct AxisImages {
  int count = 0;
  double at[3], gap[3];

  void add(double x, double lo, double hi) {
    at[count] = x;
    gap[count++] = std::max({0.0, lo - x, x - hi});
  }
};

/// The data are at most 1.25 sides wide, and the query at most 0.625 from their middle (or 0.5, rounded): the data
/// points within half a side of an image have it one side to the left or to the right, or where it is. (To be the
/// nearest image of a point, it must be within half a side of it, but for rounding, below 1/64 of a side.)
AxisImages images_along(const Placement& placement, const Placement::Place& query, int axis, double reach) {
  const double lo = placement.extent().lo[axis], hi = placement.extent().hi[axis], at = query.at[axis];
  const double side = placement.box().side(axis);
  AxisImages images;
  images.add(at, lo, hi);
  if (side == 0) return images;
  for (const double x : {at - side, at + side}) {
    images.add(x, lo, hi);
    if (images.gap[images.count - 1] > std::min(reach, 0.625 * side)) --images.count;
  }
  return images;
}

/// A gap along one axis beyond which at_least() exceeds `sq_radius`, whatever the image. Most images are left out by
/// it, which takes a tenth of the time of at_least() for each.
double reach_of(const Placement& placement, const Placement::Place& query, double sq_radius) {
  Position farthest{};
  for (int a = 0; a < placement.box().dimensions(); ++a) farthest[a] = std::abs(query.at[a]) + placement.box().side(a);
  return std::sqrt(sq_radius) * (1 + 0x1p-20) + 2 * slack_of(placement, query, farthest) + 0x1p-500;
}

}  // namespace

double slack_of(const Placement& placement, const Placement::Place& query, const Position& image) {
  if (placement.is_exact()) return 0;
  double slack = query.rounding;
  for (int a = 0; a < placement.box().dimensions(); ++a)
    if (placement.box().is_periodic(a)) slack += 0x1p-52 * (std::abs(query.at[a]) + std::abs(image[a]));
  return slack;
}

int append_images(const Placement& placement, const Placement::Place& query, double sq_radius, Array<double>& out) {
  const int d = placement.box().dimensions();
  const double reach = reach_of(placement, query, sq_radius);
  AxisImages axes[3];
  for (int a = 0; a < d; ++a) axes[a] = images_along(placement, query, a, reach);
  if (d == 2) axes[2].add(0, 0, 0);

  int appended = 0;
  for (int i = 0; i < axes[0].count; ++i)
    for (int j = 0; j < axes[1].count; ++j)
      for (int k = 0; k < axes[2].count; ++k) {
        if (i + j + k == 0) continue;
        const Position image{axes[0].at[i], axes[1].at[j], axes[2].at[k]};
        const double x = axes[0].gap[i], y = axes[1].gap[j], z = axes[2].gap[k];
        if (at_least(x * x + y * y + z * z, slack_of(placement, query, image)) > sq_radius) continue;
        out.insert(out.end(), image.begin(), image.begin() + d);
        ++appended;
      }
  return appended;
}

}  // namespace kann::detail
