// Which rows of the shifted sort are doubtful, and so are searched exactly. What decides is what the search for the
// query has seen itself, so that a row does not depend on other queries. Constants: docs/experiments.md, "which queries
// of the shifted sort are doubtful".
//
// A row is doubtful for one of these reasons, in which all distances are squared and float32:
// - float32 is too coarse for the distances to its neighbours;
// - the last neighbour is about as far as the box of cells around the query that its window covers whole is wide, or
//   the nearest neighbours are nearly equally far, as they are off a surface, where the ball around the query holds
//   much more of the data than the window does. The wider the ball is in the box, the less equal they may be;
// - a window ends among points of one cell that are near enough to matter: cells that many points share have no order;
// - few of the neighbours in the first window were found in the later ones, too: what each shift misses, all may miss
//   (capture and recapture).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "geometry/float_bits.hpp"
#include "geometry/grid.hpp"
#include "geometry/host_device.hpp"
#include "geometry/window.hpp"

namespace kann::geometry {

/// The minimum number of neighbours that the rules look at: the distances of fewer say too little.
inline constexpr std::int64_t k_doubt_neighbors = 8;

/// The rules of one search.
struct DoubtRules {
  float coarse = 0;       ///< a row is doubtful if its last squared distance is at most this
  float blurred = -1;     ///< a row is doubtful if its first squared distance is at most this
  float rounding = 0;     ///< relative rounding error of a query's coordinate, where float32 does not hold the data
  float reach = 0;        ///< maximum squared distance to the last neighbour where the window covers one cell
  float diagonal = 0;     ///< twice the squared diagonal of a cell
  float ratio = 0;        ///< minimum ratio of the last squared distance to the first, where the ball is small
  std::int64_t seen = 0;  ///< a row is doubtful if later windows saw at most so many neighbours again
};

/// What the search for one query has seen.
struct Evidence {
  float first_ratio = 0;  ///< doubt_ratio() of the nearest and the eighth nearest in the window of shift 0
  std::int32_t seen = 0;  ///< points of that window within the bound that are in the windows of later shifts, too
};

/// The squared distance up to which the rounding of coordinates blurs all distances; −1 if nothing rounds these. A
/// longer distance is right to 1 % at worst, most to .1 %.
KANN_HOST_DEVICE float blurred_by(float rounding) {
  const float longest = 400 * rounding;
  return rounding > 0 ? longest * longest : -1;
}

/// The largest rounding error of a query's coordinates, in the frame. Where float32 does not hold the data (their frame
/// then has an origin), it rounds queries as it rounds the data. Where float32 holds the data, it may still round the
/// query: then `given` is not null and points to the query's coordinates as they were given.
/// @param unit the length of 1 in the frame
template <int D>
KANN_HOST_DEVICE float query_rounding(const DoubtRules& rules, const float* query, const double* given, double unit) {
  constexpr double largest = 3e38;
  float most = 0;
  for (int a = 0; a < D; ++a) {
    const double coordinate = query[a];
    const float rounding = given ? static_cast<float>(std::fmin(std::fabs(given[a] / unit - coordinate), largest))
                                 : rules.rounding * std::fabs(query[a]);
    most = rounding > most ? rounding : most;
  }
  return most;
}

/// The squared distance of the eighth nearest divided by that of the nearest; infinite if the nearest is at the query.
KANN_HOST_DEVICE float doubt_ratio(float nearest, float eighth) { return nearest > 0 ? eighth / nearest : INFINITY; }

/// The highest bit in which the codes of two cells differ, −1 if none does. E.g. D = 3: (0, 4, 1) and (0, 0, 1) → 7.
template <int D>
KANN_HOST_DEVICE int highest_difference(const std::uint32_t (&p)[D], const std::uint32_t (&q)[D]) {
  std::uint32_t any = 0;
  for (int a = 0; a < D; ++a) any |= p[a] ^ q[a];
  if (any == 0) return -1;
#ifdef __CUDA_ARCH__
  const int level = 31 - __clz(static_cast<int>(any));
#else
  const int level = std::bit_width(any) - 1;
#endif
  int axis = D - 1;
  while (axis > 0 && ((p[axis] ^ q[axis]) >> level & 1) == 0) --axis;
  return level * D + axis;
}

/// The squared side, in cells, of a cube as large as the box of all cells whose codes agree in `bit` and above. It is 0
/// if `bit` is −1 or, in 2-D, lower than float32 tells apart. E.g. D = 2, bit 20 → 2²⁰.
template <int D>
KANN_HOST_DEVICE float covered_sq_side(int bit) {
  constexpr int finest = D == 2 ? 14 : 0;
  if (bit < finest) return 0;
  const int axis = bit % D;
  const float shape = D == 2 ? (axis == 0 ? 1.0f : 2.0f) : axis == 0 ? 1.0f : axis == 1 ? 1.58740106f : 2.51984210f;
  return shape * float_of(static_cast<std::uint32_t>(127 + 2 * (bit / D)) << 23);
}

/// What the ends of a window show about the points past them.
struct WindowEnds {
  float sq_side;  ///< covered_sq_side() of the box around the query that lies in the window; infinite if all data do
  bool cuts_run;  ///< whether an end is among points of one cell that are near enough to matter
};

/// If the end of a run is at least this squared distance away, the rest of its cell does not matter. This is the square
/// of the longer of two lengths: twice the distance to the last neighbour; and that distance plus the cell's diagonal,
/// since the points of a cell are in any order (an upper bound of it: (a + b)² ≤ 2a² + 2b²).
KANN_HOST_DEVICE float run_reach(const DoubtRules& rules, float last) {
  const float within_cell = 2 * last + rules.diagonal;
  return 4 * last > within_cell ? 4 * last : within_cell;
}

/// The ends of a query's window in shift 0. cell_at(place, cell) sets the cell of the point at that place of the order,
/// sq_dist_at(place) is its squared distance; `reach` is run_reach(). A window has at least two points on each side.
template <int D, class CellAt, class SqDistAt>
KANN_HOST_DEVICE WindowEnds ends_of(const Window& window, std::int64_t n, const std::uint32_t (&own)[D], float reach,
                                    CellAt cell_at, SqDistAt sq_dist_at) {
  constexpr int all = D * 32;
  int bit = all;
  bool cuts_run = false;
  const auto look = [&](std::int64_t end, std::int64_t before) {
    std::uint32_t cell[D], cell_before[D];
    cell_at(end, cell);
    const int difference = highest_difference<D>(own, cell);
    bit = difference < bit ? difference : bit;
    if (cuts_run || !(sq_dist_at(end) < reach)) return;
    cell_at(before, cell_before);
    cuts_run = highest_difference<D>(cell, cell_before) < 0;
  };
  if (window.begin > 0) look(window.begin, window.begin + 1);
  if (window.end < n) look(window.end - 1, window.end - 2);
  return {bit == all ? INFINITY : covered_sq_side<D>(bit), cuts_run};
}

/// Whether a row is doubtful.
/// @param rounding query_rounding()
/// @param nearest,last the squared distances of the row's first and last neighbours; the row has at least
///     k_doubt_neighbors of them if there are so many data
KANN_HOST_DEVICE bool is_doubtful(const DoubtRules& rules, const Evidence& evidence, const WindowEnds& ends,
                                  float rounding, float nearest, float last) {
  if (!(last > rules.coarse) || !(nearest > rules.blurred) || !(nearest > blurred_by(rounding))) return true;
  const float reach = rules.reach * ends.sq_side;
  if (!(last < reach) || ends.cuts_run || evidence.seen <= rules.seen) return true;
  const float rest = 1 - last / reach;  // NaN and 0 · infinity are doubtful
  return !(last * rest >= rules.ratio * nearest) || !(evidence.first_ratio * rest >= rules.ratio);
}

}  // namespace kann::geometry
