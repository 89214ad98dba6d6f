#include "tiles/shifts/nearest_seen.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace kann::tiles {

void NearestSeen::clear() const {
  std::ranges::fill(sq_dists, std::numeric_limits<float>::infinity());
  std::ranges::fill(rows, -1);
}

void NearestSeen::insert_near(float sq_dist, std::int64_t row) const {
  const auto is_before = [](float d, std::int64_t r, float other_d, std::int64_t other_r) {
    return d < other_d || (d == other_d && static_cast<std::uint64_t>(r) < static_cast<std::uint64_t>(other_r));
  };
  if (!is_before(sq_dist, row, sq_dists.back(), rows.back())) return;
  std::size_t at = rows.size() - 1;
  while (at > 0 && is_before(sq_dist, row, sq_dists[at - 1], rows[at - 1])) --at;
  if (at > 0 && rows[at - 1] == row) return;
  std::copy_backward(sq_dists.begin() + static_cast<std::ptrdiff_t>(at), sq_dists.end() - 1, sq_dists.end());
  std::copy_backward(rows.begin() + static_cast<std::ptrdiff_t>(at), rows.end() - 1, rows.end());
  sq_dists[at] = sq_dist;
  rows[at] = row;
}

}  // namespace kann::tiles
