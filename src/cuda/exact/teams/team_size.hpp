// How many points a team of 32 queries may have.
#pragma once

namespace kann::cuda::exact {

/// The maximum number of points that a team stages at once, a multiple of 64.
inline constexpr int k_max_staged = 1024;

/// The maximum number of points of a team. In cells, also that of 32 rows of the cells that the ball of one query
/// meets: with more, a tree leaves out most of them, where cells leave out none.
inline constexpr int k_max_team_points = 4095;

}  // namespace kann::cuda::exact
