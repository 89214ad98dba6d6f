// Attributes and neighbours for tests of transfer().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kann/search.hpp"
#include "kann/transfer.hpp"

#include "clouds.hpp"

namespace kann::test {

/// Rows of the k nearest, by the exact search.
inline Neighbors nearest_rows(const PointsView& data, const PointsView& queries, int k) {
  SearchOptions options;
  options.k = k;
  options.device.kind = DeviceKind::cpu;
  options.threads = 2;
  return search(data, queries, options).neighbors;
}

inline Points float64_points(std::int64_t n, int d, std::uint64_t seed, double scale = 1, double origin = 0) {
  Random random(seed);
  Array<double> c(static_cast<std::size_t>(n * d));
  for (double& x : c) x = origin + scale * random.uniform();
  return Points{d, std::move(c)};
}

/// A smooth function of the coordinates, and some noise.
inline Attribute smooth_attribute(const PointsView& points, std::uint64_t seed, std::string name = "height") {
  Random random(seed);
  Array<double> values(static_cast<std::size_t>(points.size()));
  for (std::int64_t i = 0; i < points.size(); ++i)
    values[i] = 10 + std::sin(3 * points.at(i, 0)) * points.at(i, 1) + 0.01 * random.normal();
  return {std::move(name), std::move(values)};
}

template <class T>
Attribute whole_attribute(std::int64_t n, std::uint64_t seed, std::string name) {
  Random random(seed);
  Array<T> values(static_cast<std::size_t>(n));
  for (T& value : values) value = static_cast<T>(random.below(5));
  return {std::move(name), std::move(values)};
}

inline const Array<double>& doubles(const TransferResult& result, std::size_t attribute = 0) {
  return std::get<Array<double>>(result.attributes[attribute].values);
}

inline constexpr RbfKernel k_kernels[] = {RbfKernel::thin_plate_spline, RbfKernel::cubic, RbfKernel::linear,
                                          RbfKernel::gaussian};

}  // namespace kann::test
