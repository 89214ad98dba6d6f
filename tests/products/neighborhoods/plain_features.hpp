// Features of a neighbourhood by the definition, in 80 bits, with the eigenvalues by Jacobi's method.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "kann/features.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"

namespace kann::test {

using Wide = long double;
using WideVector = std::array<Wide, 3>;

struct PlainShape {
  std::int64_t points = 0;
  std::array<Wide, 3> values{};  ///< descending
  WideVector normal{};
};

/// Rotates off-diagonal elements away until none is left.
inline PlainShape jacobi(std::array<WideVector, 3> a) {
  std::array<WideVector, 3> v{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int sweep = 0; sweep < 60; ++sweep)
    for (const auto& [p, q] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
      if (a[p][q] == 0) continue;
      const Wide angle = std::atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2, c = std::cos(angle), s = std::sin(angle);
      for (int i = 0; i < 3; ++i) {
        const Wide x = a[i][p], y = a[i][q];
        a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
      }
      for (int i = 0; i < 3; ++i) {
        const Wide x = a[p][i], y = a[q][i];
        a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
      }
      a[p][q] = a[q][p] = 0;
      for (int i = 0; i < 3; ++i) {
        const Wide x = v[i][p], y = v[i][q];
        v[i][p] = c * x - s * y, v[i][q] = s * x + c * y;
      }
    }
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int i, int j) { return a[i][i] > a[j][j]; });
  PlainShape out;
  for (int i = 0; i < 3; ++i) out.values[i] = a[order[i]][order[i]], out.normal[i] = v[i][order[2]];
  return out;
}

inline PlainShape plain_shape(const std::vector<WideVector>& points) {
  PlainShape out;
  out.points = std::ssize(points);
  if (points.empty()) return out;
  WideVector mean = points.front();
  for (const WideVector& x : points)
    for (int i = 0; i < 3; ++i) mean[i] += (x[i] - points.front()[i]) / out.points;
  std::array<WideVector, 3> covariance{};
  for (const WideVector& x : points)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) covariance[i][j] += (x[i] - mean[i]) * (x[j] - mean[j]) / out.points;
  const std::int64_t count = out.points;
  out = jacobi(covariance);
  out.points = count;
  return out;
}

/// The points of a row, and the query's own if it is one of them.
inline std::vector<WideVector> neighborhood_of(const PointsView& data, std::span<const std::int32_t> ids,
                                               std::int64_t own = -1) {
  std::vector<WideVector> points;
  const auto add = [&](std::int64_t id) {
    points.push_back({Wide{data.at(id, 0)}, Wide{data.at(id, 1)}, Wide{data.at(id, 2)}});
  };
  if (own >= 0) add(own);
  for (const std::int32_t id : ids)
    if (id != k_missing_id) add(id);
  return points;
}

inline SearchOptions exact_search(std::int64_t k) {
  SearchOptions options;
  options.k = k;
  options.device.kind = DeviceKind::cpu;
  options.threads = 2;
  return options;
}

inline const std::vector<Feature>& all_features() {
  static const std::vector<Feature> all = {Feature::normals,      Feature::curvature,  Feature::linearity,
                                           Feature::planarity,    Feature::sphericity, Feature::verticality,
                                           Feature::omnivariance, Feature::density};
  return all;
}

/// A value of the column of that name.
inline double value_of(const FeatureResult& result, const std::string& name, std::int64_t query) {
  const auto column = std::ranges::find(result.attributes, name, &Attribute::name);
  return column->at(query);
}

}  // namespace kann::test
