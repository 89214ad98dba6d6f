// The answer by its definition, one query at a time. Shares no code with the backends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "kann/neighbors.hpp"

#include "problem/problem.hpp"

namespace kann::test {

/// Squared distance, or distance, and index.
using Neighbor = std::pair<float, std::int64_t>;

/// Appends the neighbours of a query, distances and indices, in this order; places without a neighbour follow.
inline void append_row(std::vector<Neighbor> row, Neighbors& out) {
  std::sort(row.begin(), row.end());
  row.resize(static_cast<std::size_t>(out.k), Neighbor{std::numeric_limits<float>::infinity(), -1});
  for (const auto& [distance, id] : row) {
    out.ids.push_back(static_cast<std::int32_t>(id));
    out.distances.push_back(distance);
  }
}

inline float fused_sq_distance(const float* p, const float* q, int d) {
  float sum = 0;
  for (int a = 0; a < d; ++a) sum = a == 0 ? (p[a] - q[a]) * (p[a] - q[a]) : std::fma(p[a] - q[a], p[a] - q[a], sum);
  return sum;
}

/// The leading `bits` of the code of a point in a shift, computed bit by bit: bit b of axis a is bit b·d + a.
inline std::uint64_t plain_key(const problem::Problem& p, const float* point, int shift) {
  const int d = p.dimensions, cell_bits = d == 3 ? 20 : 30;
  const std::uint64_t offset = (static_cast<std::uint64_t>(shift) << cell_bits) / p.shifts;
  const float last = d == 3 ? 1048575.0f : 1073741760.0f;
  std::uint64_t code = 0;
  for (int a = 0; a < d; ++a) {
    const float t = std::clamp((point[a] - p.grid.lo[a]) * p.grid.inv, 0.0f, last);
    const std::uint64_t cell = static_cast<std::uint64_t>(t) + offset;
    for (int b = 0; b <= cell_bits; ++b) code |= (cell >> b & 1) << (b * d + a);
  }
  return code >> (d * (cell_bits + 1) - p.bits);
}

/// What one shift shows of a query: the candidates of its window, in order, and what lies at the window's ends.
struct PlainWindow {
  std::vector<Neighbor> points;                     // squared distance and index, in the order of the shift
  std::vector<std::uint64_t> codes;                 // of the points
  std::uint64_t own = 0;                            // code of the query
  bool begins_inside = false, ends_inside = false;  // whether the order goes on before it, and after it
};

/// The squared distance up to which the rounding of a query blurs distances; −1 if it is not rounded.
inline float plain_blur(const problem::Problem& p, std::int64_t query) {
  float widest = 0;
  for (int a = 0; a < p.dimensions; ++a) {
    const std::int64_t at = query * p.dimensions + a;
    const double in_frame = p.queries[at];
    const double moved = p.doubt.rounding > 0 ? std::ldexp(std::abs(in_frame), -24)
                         : p.given_queries    ? std::abs(p.given_queries[at] / p.unit - in_frame)
                                              : 0;
    widest = std::max(widest, static_cast<float>(moved));
  }
  return widest > 0 ? (400 * widest) * (400 * widest) : -1;
}

/// The row of a doubtful query by the rules of geometry/doubt.hpp, computed from whole windows. A point that is the
/// query itself is a candidate here.
inline bool plain_is_doubtful(const problem::Problem& p, const std::vector<PlainWindow>& windows, std::int64_t self,
                              float blur) {
  const float infinite = std::numeric_limits<float>::infinity();
  const std::int64_t size = std::min<std::int64_t>(std::max<std::int64_t>(p.k, 8), p.data_count);
  std::set<Neighbor> seen;
  const auto nth = [&](std::int64_t n) {  // squared distance of the n-th nearest so far, from 1
    return n < 1 || static_cast<std::int64_t>(seen.size()) < n ? infinite : std::next(seen.begin(), n - 1)->first;
  };
  const std::set<Neighbor> first(windows[0].points.begin(), windows[0].points.end());
  float ratio = 0;
  std::int64_t again = 0;
  for (std::size_t j = 0; j < windows.size(); ++j) {
    if (j > 0)
      for (const Neighbor& point : windows[j].points) again += first.count(point) && point.first <= nth(size);
    for (const Neighbor& point : windows[j].points)
      if (point.second != self) seen.insert(point);
    if (j == 0) ratio = nth(1) > 0 ? nth(std::min<std::int64_t>(8, size)) / nth(1) : infinite;
  }
  const float nearest = nth(1), last = nth(size);

  // The box of cells: 2^bit of them, as wide as the root of that many
  const PlainWindow& w = windows[0];
  const int d = p.dimensions, count = static_cast<int>(w.points.size());
  int bit = 1000;
  bool cuts_run = false;
  const auto look = [&](int end, int before) {
    int highest = -1;
    for (int b = 0; b < 64; ++b)
      if ((w.codes[end] ^ w.own) >> b & 1) highest = b;
    bit = std::min(bit, highest);
    const float reach = std::max(4 * last, 2 * last + p.doubt.diagonal);
    cuts_run = cuts_run || (w.points[end].first < reach && w.codes[end] == w.codes[before]);
  };
  if (w.begins_inside) look(0, 1);
  if (w.ends_inside) look(count - 1, count - 2);
  const bool is_too_fine = bit < 0 || (d == 2 && bit < 14);
  const float side = bit == 1000 ? infinite : is_too_fine ? 0 : static_cast<float>(std::pow(2.0, 2.0 * bit / d));
  const float reach = p.doubt.reach * side;
  if (last <= p.doubt.coarse || nearest <= std::max(p.doubt.blurred, blur) || last >= reach || cuts_run ||
      again <= p.doubt.seen)
    return true;
  const float rest = 1 - last / reach;
  const bool ratios_suffice = last * rest >= p.doubt.ratio * nearest && ratio * rest >= p.doubt.ratio;
  return !ratios_suffice;
}

/// The shifted sort of `p` by its definition, with std::sort and std::set. Sets is_doubtful[q] of each query, if
/// p.searches_doubtful.
inline Neighbors plain_windows(const problem::Problem& p, std::vector<bool>& is_doubtful) {
  const int d = p.dimensions;
  const std::int64_t n = p.data_count;
  std::vector<std::vector<PlainWindow>> windows(p.query_count);
  for (int j = 0; j < p.shifts; ++j) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> order;
    for (std::int64_t i = 0; i < n; ++i) order.emplace_back(plain_key(p, p.data + i * d, j), i);
    std::sort(order.begin(), order.end());
    for (std::int64_t q = 0; q < p.query_count; ++q) {
      const std::uint64_t key = plain_key(p, p.queries + q * d, j);
      const std::int64_t rank =
          std::count_if(order.begin(), order.end(), [&](const auto& place) { return place.first <= key; });
      const std::int64_t span = p.window > n / 2 ? n : 2 * p.window;
      const std::int64_t begin = std::clamp<std::int64_t>(rank - p.window, 0, n - span);
      PlainWindow w;
      w.own = key;
      w.begins_inside = begin > 0;
      w.ends_inside = begin + span < n;
      for (std::int64_t c = begin; c < begin + span; ++c) {
        w.codes.push_back(order[c].first);
        w.points.emplace_back(fused_sq_distance(p.queries + q * d, p.data + order[c].second * d, d), order[c].second);
      }
      windows[q].push_back(std::move(w));
    }
  }
  Neighbors out{p.query_count, p.k, {}, {}};
  is_doubtful.assign(p.query_count, false);
  for (std::int64_t q = 0; q < p.query_count; ++q) {
    const std::int64_t self = p.drop_self ? q : -1;
    std::set<Neighbor> candidates;
    for (const PlainWindow& w : windows[q])
      for (const Neighbor& point : w.points)
        if (point.second != self) candidates.insert(point);
    std::vector<Neighbor> row;
    for (auto it = candidates.begin(); it != candidates.end() && static_cast<std::int64_t>(row.size()) < p.k; ++it)
      row.emplace_back(static_cast<float>(std::sqrt(it->first) * p.unit), it->second);
    append_row(row, out);
    is_doubtful[q] = p.searches_doubtful && n > 0 && plain_is_doubtful(p, windows[q], self, plain_blur(p, q));
  }
  return out;
}

/// A coordinate as it was given.
inline double given_coordinate(const double* given, const float* in_frame, std::int64_t at) {
  return given ? given[at] : static_cast<double>(in_frame[at]);
}

/// The float32 nearest to the root of `sq_dist`. A root of a float64 that is not the middle of two float32s, which have
/// 25 bits, is farther than 2^-54 of it from that middle, so that a root of 64 bits or more is not rounded to it.
inline float plain_root(double sq_dist) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  return static_cast<float>(std::sqrt(static_cast<long double>(sq_dist)));
}

/// The k smallest (squared distance, index) of all data points, in float64 from the coordinates as they were given.
inline Neighbors plain_exact(const problem::Problem& p) {
  const int d = p.dimensions;
  Neighbors out{p.query_count, p.k, {}, {}};
  std::vector<std::pair<double, std::int64_t>> all;
  for (std::int64_t q = 0; q < p.query_count; ++q) {
    all.clear();
    for (std::int64_t i = 0; i < p.data_count; ++i) {
      if (p.drop_self && i == q) continue;
      double sq_dist = 0;
      for (int a = 0; a < d; ++a) {
        const double difference =
            given_coordinate(p.given_queries, p.queries, q * d + a) - given_coordinate(p.given_data, p.data, i * d + a);
        sq_dist = a == 0 ? difference * difference : std::fma(difference, difference, sq_dist);
      }
      all.emplace_back(sq_dist, i);
    }
    const std::size_t found = std::min(all.size(), static_cast<std::size_t>(p.k));
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(found), all.end());
    std::vector<Neighbor> row;
    for (std::size_t r = 0; r < found; ++r) row.emplace_back(plain_root(all[r].first), all[r].second);
    append_row(row, out);
  }
  return out;
}

/// The answer of the shifted sort: its own, but for doubtful queries, of which it sets the number, the exact one.
inline Neighbors plain_shifted_sort(const problem::Problem& p, std::int64_t* doubtful = nullptr) {
  std::vector<bool> is_doubtful;
  Neighbors out = plain_windows(p, is_doubtful);
  const std::int64_t count = std::count(is_doubtful.begin(), is_doubtful.end(), true);
  if (doubtful) *doubtful = count;
  if (count == 0) return out;
  const Neighbors exact = plain_exact(p);
  for (std::int64_t i = 0; i < out.queries * out.k; ++i) {
    if (!is_doubtful[i / out.k]) continue;
    out.ids[i] = exact.ids[i];
    out.distances[i] = exact.distances[i];
  }
  return out;
}

}  // namespace kann::test
