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

/// The code of a point in a shift, computed bit by bit: bit b of axis a is bit b·d + a.
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
  return code;
}

/// The shifted sort of `p` by its definition: of the candidates of all shifts, the k smallest (squared distance, index).
inline Neighbors plain_shifted_sort(const problem::Problem& p) {
  const int d = p.dimensions;
  const std::int64_t n = p.data_count;
  std::vector<std::set<Neighbor>> candidates(p.query_count);
  for (int j = 0; j < p.shifts; ++j) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> order;
    for (std::int64_t i = 0; i < n; ++i) order.emplace_back(plain_key(p, p.data + i * d, j), i);
    std::sort(order.begin(), order.end());
    for (std::int64_t q = 0; q < p.query_count; ++q) {
      const float* const query = p.queries + q * d;
      const std::uint64_t key = plain_key(p, query, j);
      const std::int64_t rank =
          std::count_if(order.begin(), order.end(), [&](const auto& place) { return place.first <= key; });
      const std::int64_t span = p.window > n / 2 ? n : 2 * p.window;
      const std::int64_t begin = std::clamp<std::int64_t>(rank - p.window, 0, n - span);
      for (std::int64_t c = begin; c < begin + span; ++c) {
        const std::int64_t point = order[c].second;
        if (p.drop_self && point == p.first_query + q) continue;
        candidates[q].emplace(fused_sq_distance(query, p.data + point * d, d), point);
      }
    }
  }
  Neighbors out{p.query_count, p.k, {}, {}};
  for (const std::set<Neighbor>& all : candidates) {
    std::vector<Neighbor> row;
    for (auto it = all.begin(); it != all.end() && static_cast<std::int64_t>(row.size()) < p.k; ++it)
      row.emplace_back(static_cast<float>(std::sqrt(it->first) * p.unit), it->second);
    append_row(row, out);
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

}  // namespace kann::test
