// DBSCAN by its definition: every pair of points is compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "kann/points.hpp"

namespace kann::test {

using ClusterLabels = std::vector<std::int64_t>;

/// The squared distance of two points, which are NaN apart if one is not finite.
using SqDistance = std::function<double(std::int64_t, std::int64_t)>;

inline SqDistance cluster_distances(const Points& points) {
  return [&points](std::int64_t i, std::int64_t j) {
    double sum = 0;
    for (int a = 0; a < points.dimensions; ++a) {
      const double x = points.at(i, a) - points.at(j, a);
      sum = a == 0 ? x * x : std::fma(x, x, sum);
    }
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::quiet_NaN();
  };
}

/// The label of each of n points: flood filling from every core point, then borders, then numbers in order.
inline ClusterLabels brute_clusters(std::int64_t n, const SqDistance& sq_distance, double radius,
                                    std::int64_t min_points) {
  const auto within = [&](std::int64_t i, std::int64_t j) { return sq_distance(i, j) <= radius * radius; };
  std::vector<bool> is_core;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < n; ++j) count += within(i, j);
    is_core.push_back(count >= min_points);
  }
  ClusterLabels filled(static_cast<std::size_t>(n), -1);  // by any core point of the cluster
  for (std::int64_t start = 0; start < n; ++start) {
    if (!is_core[start] || filled[start] >= 0) continue;
    std::vector<std::int64_t> waiting{filled[start] = start};
    while (!waiting.empty()) {
      const std::int64_t i = waiting.back();
      waiting.pop_back();
      for (std::int64_t j = 0; j < n; ++j)
        if (is_core[j] && filled[j] < 0 && within(i, j)) {
          filled[j] = start;
          waiting.push_back(j);
        }
    }
  }
  ClusterLabels of_core = filled;
  for (std::int64_t i = 0; i < n; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t j = 0; j < n && !is_core[i]; ++j)
      if (is_core[j] && within(i, j) && sq_distance(i, j) < nearest) {
        nearest = sq_distance(i, j);
        filled[i] = of_core[j];
      }
  }
  std::vector<std::int64_t> order;  // of the clusters, by their smallest point
  ClusterLabels labels;
  for (const std::int64_t cluster : filled) {
    const auto place = std::ranges::find(order, cluster);
    labels.push_back(cluster < 0 ? -1 : place - order.begin());
    if (cluster >= 0 && place == order.end()) order.push_back(cluster);
  }
  return labels;
}

/// Radii that suit the points: the distances of pairs, from the nearest to the farthest.
inline std::vector<double> cluster_radii(std::int64_t n, const SqDistance& sq_distance) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      if (const double sq = sq_distance(i, j); sq > 0) all.push_back(std::sqrt(sq));
  if (all.empty()) return {1};
  std::ranges::sort(all);
  std::vector<double> radii;
  const double count = static_cast<double>(all.size()), points = static_cast<double>(n);
  for (const double neighbors : {0.5, 3.0, points / 8, points / 2})
    radii.push_back(all[static_cast<std::size_t>(std::min(count - 1, neighbors * points / 2))]);
  return radii;
}

}  // namespace kann::test
