// The exact answer by its definition: all d² in double, sorted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann::test {

inline bool is_finite(const Points& points, std::int64_t i) {
  for (int a = 0; a < points.dimensions; ++a)
    if (!std::isfinite(points.at(i, a))) return false;
  return true;
}

/// fma(dz, dz, fma(dy, dy, dx·dx))
inline double sq_distance(const Points& data, std::int64_t i, const Points& queries, std::int64_t q) {
  double sum = 0;
  for (int a = 0; a < data.dimensions; ++a) {
    const double difference = data.at(i, a) - queries.at(q, a);
    sum = a == 0 ? difference * difference : std::fma(difference, difference, sum);
  }
  return sum;
}

/// The float32 nearest to the root. The 64 bits of long double suffice: the root of a double that is not the midpoint
/// of two float32 differs from it by 2⁻⁵⁴ or more, relatively.
inline float root(double sq_dist) { return static_cast<float>(std::sqrt(static_cast<long double>(sq_dist))); }

/// Appends the row of a query: of its (d², id), the k smallest, ordered by (root(), id).
inline void append_nearest(std::vector<std::pair<double, std::int32_t>>& all, Neighbors& out) {
  const std::int64_t kept = std::min(out.k, static_cast<std::int64_t>(all.size()));
  std::partial_sort(all.begin(), all.begin() + kept, all.end());
  std::vector<std::pair<float, std::int32_t>> row;
  for (std::int64_t r = 0; r < kept; ++r) row.emplace_back(root(all[r].first), all[r].second);
  std::sort(row.begin(), row.end());
  row.resize(static_cast<std::size_t>(out.k), {std::numeric_limits<float>::infinity(), k_missing_id});
  for (const auto& [distance, id] : row) {
    out.ids.push_back(id);
    out.distances.push_back(distance);
  }
}

/// The k points with the smallest (sq_distance(), i), ordered by (root(), i). Invalid points and queries have no
/// neighbours, and with `drop_self` query q is not point q's neighbour.
inline Neighbors exact_answer(const Points& data, const Points& queries, std::int64_t k, bool drop_self = false) {
  Neighbors out{queries.size(), k, {}, {}};
  std::vector<std::pair<double, std::int32_t>> all;
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    all.clear();
    for (std::int64_t i = 0; i < data.size() && is_finite(queries, q); ++i)
      if (is_finite(data, i) && !(drop_self && i == q)) all.emplace_back(sq_distance(data, i, queries, q), i);
    append_nearest(all, out);
  }
  return out;
}

inline Points to_doubles(const std::vector<double>& c, int d) { return {d, Array<double>(c.begin(), c.end())}; }

}  // namespace kann::test
