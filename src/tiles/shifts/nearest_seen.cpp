#include "tiles/shifts/nearest_seen.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace kann::tiles {

void NearestSeen::clear() const {
  std::ranges::fill(sq_dists, std::numeric_limits<float>::infinity());
  std::ranges::fill(points, SeenPoint());
}

void NearestSeen::insert(float sq_dist, SeenPoint point) const {
  const auto is_before = [&](std::size_t i) {
    return sq_dist < sq_dists[i] || (sq_dist == sq_dists[i] && point < points[i]);
  };
  std::size_t at = points.size() - 1;
  if (!is_before(at)) return;
  while (at > 0 && is_before(at - 1)) --at;
  if (at > 0 && points[at - 1] == point) return;
  std::copy_backward(sq_dists.begin() + static_cast<std::ptrdiff_t>(at), sq_dists.end() - 1, sq_dists.end());
  std::copy_backward(points.begin() + static_cast<std::ptrdiff_t>(at), points.end() - 1, points.end());
  sq_dists[at] = sq_dist;
  points[at] = point;
}

}  // namespace kann::tiles
