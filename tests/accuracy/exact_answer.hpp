// The exact answer, by sorting all distances in long double.
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

inline long double distance(const Points& data, std::int64_t i, const Points& queries, std::int64_t q) {
  long double sum = 0;
  for (int a = 0; a < data.dimensions; ++a) {
    const long double difference = static_cast<long double>(data.at(i, a)) - queries.at(q, a);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

/// The k points with the smallest (distance(i, q), i); invalid points and queries have no neighbours, and with
/// `drop_self` query q is not point q's neighbour.
template <class Distance>
Neighbors sorted_answer(const Points& data, const Points& queries, std::int64_t k, bool drop_self,
                        Distance distance_of) {
  Neighbors out{queries.size(), k, {}, {}};
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    std::vector<std::pair<decltype(distance_of(q, q)), std::int64_t>> found;
    for (std::int64_t i = 0; i < data.size() && is_finite(queries, q); ++i)
      if (is_finite(data, i) && !(drop_self && i == q)) found.emplace_back(distance_of(i, q), i);
    const std::int64_t kept = std::min(k, static_cast<std::int64_t>(found.size()));
    std::partial_sort(found.begin(), found.begin() + kept, found.end());
    for (std::int64_t r = 0; r < k; ++r) {
      const bool exists = r < kept;
      out.ids.push_back(exists ? static_cast<std::int32_t>(found[r].second) : k_missing_id);
      out.distances.push_back(exists ? static_cast<float>(found[r].first) : std::numeric_limits<float>::infinity());
    }
  }
  return out;
}

inline Neighbors exact_answer(const Points& data, const Points& queries, std::int64_t k, bool drop_self = false) {
  return sorted_answer(data, queries, k, drop_self,
                       [&](std::int64_t i, std::int64_t q) { return distance(data, i, queries, q); });
}

}  // namespace kann::test
