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

/// Squared distance and index.
using Neighbor = std::pair<float, std::int64_t>;

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

/// The shifted sort of `p` by its definition, with std::sort and std::set.
inline Neighbors plain_shifted_sort(const problem::Problem& p) {
  const int d = p.dimensions;
  const std::int64_t n = p.data_count;
  std::vector<std::set<Neighbor>> candidates(p.query_count);
  std::vector<bool> far(p.query_count);
  for (int j = 0; j < p.shifts; ++j) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> order;
    for (std::int64_t i = 0; i < n; ++i) order.emplace_back(plain_key(p, p.data + i * d, j), i);
    std::sort(order.begin(), order.end());
    for (std::int64_t q = 0; q < p.query_count; ++q) {
      const std::uint64_t key = plain_key(p, p.queries + q * d, j);
      const std::int64_t rank =
          std::count_if(order.begin(), order.end(), [&](const auto& place) { return place.first <= key; });
      const auto offer = [&](std::int64_t window) {
        const std::int64_t span = window > n / 2 ? n : 2 * window;
        const std::int64_t begin = std::clamp<std::int64_t>(rank - window, 0, n - span);
        for (std::int64_t c = begin; c < begin + span; ++c) {
          const std::int64_t i = order[c].second;
          if (p.drop_self && i == q) continue;
          candidates[q].emplace(fused_sq_distance(p.queries + q * d, p.data + i * d, d), i);
        }
      };
      offer(p.window);
      if (j == 0)
        far[q] = p.far_window > p.window && candidates[q].size() >= 8 &&
                 std::next(candidates[q].begin(), 7)->first < 1.5f * candidates[q].begin()->first;
      if (far[q]) offer(p.far_window);
    }
  }
  Neighbors out{p.query_count, p.k, {}, {}};
  for (const auto& found : candidates) {
    auto it = found.begin();
    for (std::int64_t r = 0; r < p.k; ++r) {
      const bool present = it != found.end();
      out.ids.push_back(present ? static_cast<std::int32_t>(it->second) : -1);
      out.distances.push_back(present ? static_cast<float>(std::sqrt(it->first) * p.unit)
                                      : std::numeric_limits<float>::infinity());
      if (present) ++it;
    }
  }
  return out;
}

/// The k smallest (squared distance, index) of all data points.
inline Neighbors plain_exact(const problem::Problem& p) {
  const int d = p.dimensions;
  Neighbors out{p.query_count, p.k, {}, {}};
  std::vector<Neighbor> all;
  for (std::int64_t q = 0; q < p.query_count; ++q) {
    all.clear();
    for (std::int64_t i = 0; i < p.data_count; ++i)
      if (!(p.drop_self && i == q)) all.emplace_back(fused_sq_distance(p.queries + q * d, p.data + i * d, d), i);
    std::sort(all.begin(), all.end());
    for (std::int64_t r = 0; r < p.k; ++r) {
      const bool present = r < static_cast<std::int64_t>(all.size());
      out.ids.push_back(present ? static_cast<std::int32_t>(all[r].second) : -1);
      out.distances.push_back(present ? static_cast<float>(std::sqrt(all[r].first) * p.unit)
                                      : std::numeric_limits<float>::infinity());
    }
  }
  return out;
}

}  // namespace kann::test
