#include "tiles/shifts/window_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "geometry/distance.hpp"

namespace kann::tiles {
namespace {

constexpr float k_infinity = std::numeric_limits<float>::infinity();

/// Keeps what geometry::ends_of() a window shows; how near an end must be to matter is known at last.
template <class T, int D>
void look_at_ends(const geometry::Window& window, std::int64_t n, std::uint64_t own, const ShiftTile<T, D>& tile,
                  ShiftQuery<T, D>& query) {
  const auto look = [&](std::int64_t end, std::int64_t before) {
    const ShiftPoint<T, D>& point = tile.points[static_cast<std::size_t>(end - tile.first)];
    query.end_bits = std::min(query.end_bits, static_cast<std::int32_t>(std::bit_width(point.key.key ^ own)));
    if (point.key.key == tile.points[static_cast<std::size_t>(before - tile.first)].key.key)
      query.nearest_cut = std::min(query.nearest_cut, geometry::sq_distance<D>(query.in_frame, point.in_frame));
  };
  if (window.begin > 0) look(window.begin, window.begin + 1);
  if (window.end < n) look(window.end - 1, window.end - 2);
}

/// Per axis, in float64; the third is 0 in 2-D.
template <class T, int D>
std::array<double, 3> difference(const T* query, const T* point) {
  std::array<double, 3> d{};
  for (std::size_t a = 0; a < D; ++a) d[a] = double{query[a]} - double{point[a]};
  return d;
}

}  // namespace

template <class T, int D>
geometry::Window window_of(const problem::Problem& p, const ShiftTile<T, D>& tile, std::uint64_t key) {
  const auto after = std::ranges::upper_bound(tile.points, key, {}, [](const auto& point) { return point.key.key; });
  return geometry::window_around(tile.first + (after - tile.points.begin()), p.window, p.data_count);
}

template <class T, int D>
void search_window(const problem::Problem& p, int shift, const ShiftTile<T, D>& tile,
                   const std::optional<geometry::WithinRadius>& within, ShiftQuery<T, D>& query,
                   const NearestSeen& seen) {
  const std::uint64_t own = shift_key<D>(p, shift, query.in_frame);
  const geometry::Window window = window_of(p, tile, own);
  if (shift == 0) query.first_begin = window.begin;
  const auto length = static_cast<std::uint64_t>(window.end - window.begin);  // the same in all shifts
  const float last = seen.sq_dists.empty() ? k_infinity : seen.sq_dists.back();
  for (std::int64_t at = window.begin; at < window.end; ++at) {
    const ShiftPoint<T, D>& point = tile.points[static_cast<std::size_t>(at - tile.first)];
    const float sq_dist = geometry::sq_distance<D>(query.in_frame, point.in_frame);
    if (shift > 0 && static_cast<std::uint64_t>(point.place - query.first_begin) < length) {
      query.evidence.seen += sq_dist <= last;
    } else if (seen.may_take(sq_dist) && !(p.drop_self && point.key.row == query.row)) {
      seen.insert(sq_dist, {point.key.row, within && !(*within)(difference<T, D>(query.given, point.given))});
    }
  }
  if (shift > 0 || !p.searches_doubtful || seen.sq_dists.empty()) return;
  const auto eighth = std::min<std::size_t>(seen.sq_dists.size(), geometry::k_doubt_neighbors) - 1;
  query.evidence.first_ratio = geometry::doubt_ratio(seen.sq_dists[0], seen.sq_dists[eighth]);
  look_at_ends(window, p.data_count, own, tile, query);
}

template <class T, int D>
bool is_doubtful(const problem::Problem& p, const ShiftQuery<T, D>& query, const NearestSeen& seen) {
  if (!p.searches_doubtful || seen.sq_dists.empty()) return false;
  const float nearest = seen.sq_dists.front(), last = seen.sq_dists.back();
  const float sq_side = query.end_bits == 65 ? k_infinity : geometry::covered_sq_side<D>(query.end_bits - 1);
  const geometry::WindowEnds ends = {sq_side, query.nearest_cut < geometry::run_reach(p.doubt, last)};
  double given[D];
  std::copy_n(query.given, D, given);
  // Where float32 holds the data, it may not hold the query
  const float rounding =
      geometry::query_rounding<D>(p.doubt, query.in_frame, p.doubt.rounding > 0 ? nullptr : given, p.unit);
  return geometry::is_doubtful(p.doubt, query.evidence, ends, rounding, nearest, last);
}

float written_distance(const problem::Problem& p, float sq_dist) {
  return static_cast<float>(std::sqrt(sq_dist) * p.unit);
}

void write_row(const problem::Problem& p, const NearestSeen& seen, std::span<std::int64_t> ids,
               std::span<float> distances) {
  const std::size_t count = std::min(ids.size(), seen.points.size());
  std::vector<std::pair<float, SeenPoint>> row;
  for (std::size_t i = 0; i < count; ++i)
    if (seen.points[i].is_given()) row.emplace_back(written_distance(p, seen.sq_dists[i]), seen.points[i]);
  std::ranges::sort(row);  // two squared distances may have one root
  for (std::size_t i = 0; i < ids.size(); ++i) {
    distances[i] = i < row.size() ? row[i].first : k_infinity;
    ids[i] = i < row.size() ? row[i].second.row() : k_missing_id;
  }
}

#define KANN_INSTANTIATE(T, D)                                                                                      \
  template geometry::Window window_of(const problem::Problem&, const ShiftTile<T, D>&, std::uint64_t);              \
  template void search_window(const problem::Problem&, int, const ShiftTile<T, D>&,                                 \
                              const std::optional<geometry::WithinRadius>&, ShiftQuery<T, D>&, const NearestSeen&); \
  template bool is_doubtful(const problem::Problem&, const ShiftQuery<T, D>&, const NearestSeen&);
KANN_INSTANTIATE(float, 2)
KANN_INSTANTIATE(float, 3)
KANN_INSTANTIATE(double, 2)
KANN_INSTANTIATE(double, 3)
#undef KANN_INSTANTIATE

}  // namespace kann::tiles
