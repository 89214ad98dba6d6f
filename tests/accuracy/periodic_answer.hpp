// The exact answer in a periodic box by its definition: all d² in double, sorted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "exact_answer.hpp"

namespace kann::test {

inline double periodic_sq_distance(const Points& data, std::int64_t i, const Points& queries, std::int64_t q,
                                   const std::vector<double>& sides) {
  double sum = 0;
  for (int a = 0; a < data.dimensions; ++a) {
    double x = queries.at(q, a) - data.at(i, a);
    if (sides[static_cast<std::size_t>(a)] > 0) x = std::remainder(x, sides[static_cast<std::size_t>(a)]);
    sum = a == 0 ? x * x : std::fma(x, x, sum);
  }
  return sum;
}

/// As exact_answer().
inline Neighbors periodic_answer(const Points& data, const Points& queries, const std::vector<double>& sides,
                                 std::int64_t k, bool drop_self = false) {
  Neighbors out{queries.size(), k, {}, {}};
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    std::vector<std::pair<double, std::int32_t>> all;
    for (std::int64_t i = 0; i < data.size() && is_finite(queries, q); ++i)
      if (is_finite(data, i) && !(drop_self && i == q))
        all.emplace_back(periodic_sq_distance(data, i, queries, q, sides), static_cast<std::int32_t>(i));
    const std::int64_t kept = std::min(k, static_cast<std::int64_t>(all.size()));
    std::partial_sort(all.begin(), all.begin() + kept, all.end());
    std::vector<std::pair<float, std::int32_t>> row;
    for (std::int64_t r = 0; r < kept; ++r) row.emplace_back(root(all[r].first), all[r].second);
    std::sort(row.begin(), row.end());
    row.resize(static_cast<std::size_t>(k), {std::numeric_limits<float>::infinity(), k_missing_id});
    for (const auto& [distance, id] : row) {
      out.ids.push_back(id);
      out.distances.push_back(distance);
    }
  }
  return out;
}

}  // namespace kann::test
