// Seeded clouds that float32 does not hold: wide ones, near ties, decimal lattices; and pairs of clouds of which only
// one is float64.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "problems.hpp"

namespace kann::test {

/// Row-major, n × d.
using Doubles = std::vector<double>;

struct Float64CloudKind {
  std::string name;
  Doubles (*make)(std::int64_t n, int d, std::uint64_t seed);
};

inline Doubles make_doubles(std::int64_t n, int d, const std::function<double(std::int64_t, int)>& coordinate) {
  Doubles c(static_cast<std::size_t>(n * d));
  for (std::int64_t i = 0; i < n; ++i)
    for (int a = 0; a < d; ++a) c[i * d + a] = coordinate(i, a);
  return c;
}

inline Doubles fine(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  return make_doubles(n, d, [&](auto, int) { return r.uniform(); });
}
inline Doubles map_tile(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  return make_doubles(n, d, [&](auto, int a) { return 1e7 / (a + 1) + 1000 * r.uniform(); });
}
inline Doubles two_sites(std::int64_t n, int d, std::uint64_t seed) {  // of 10 m, 4,000 km apart
  Random r(seed);
  return make_doubles(n, d, [&](std::int64_t i, int a) { return (i % 2 && a == 0 ? 4e6 : 0) + 10 * r.uniform(); });
}
inline Doubles corridor(std::int64_t n, int d, std::uint64_t seed) {  // 60 km long, at centimetre spacing in places
  Random r(seed);
  return make_doubles(n, d, [&](std::int64_t i, int a) {
    return a == 0 ? 6e4 * static_cast<double>(i % 16) / 16 + 0.01 * static_cast<double>(i) + 0.005 * r.uniform()
                  : 0.05 * r.uniform();
  });
}
inline Doubles sphere_clusters(std::int64_t n, int d,
                               std::uint64_t seed) {  // of 0.1 m, on a sphere of the earth's size
  Random r(seed);
  Doubles centres = make_doubles(40, d, [&](auto, int) { return r.normal(); });
  for (int c = 0; c < 40; ++c) {
    double norm = 0;
    for (int a = 0; a < d; ++a) norm += centres[c * d + a] * centres[c * d + a];
    for (int a = 0; a < d; ++a) centres[c * d + a] *= 6371000 / std::sqrt(norm);
  }
  return make_doubles(n, d, [&](std::int64_t i, int a) { return centres[i % 40 * d + a] + 0.1 * r.uniform(); });
}
inline Doubles decades(std::int64_t n, int d, std::uint64_t seed) {  // distances from the origin over 40 decades
  Random r(seed);
  double radius = 1;
  return make_doubles(n, d, [&](auto, int a) {
    if (a == 0) radius = std::pow(10.0, 40 * r.uniform() - 35);
    return radius * r.normal();
  });
}
inline Doubles decimal_lattice(std::int64_t n, int d, std::uint64_t seed) {  // whose ties are 1 ulp of float64 apart
  Random r(seed);
  const double side = std::max(2.0, std::floor(std::pow(static_cast<double>(n), 1.0 / d)));
  return make_doubles(n, d, [&](auto, int) { return 431000.1 + 0.1 * std::floor(r.uniform() * side); });
}
/// Shells of points whose distances from the origin differ by few ulps of float64, and are equal in float32.
inline Doubles near_ties(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  double value = 1;
  int axis = 0;
  return make_doubles(n, d, [&](std::int64_t i, int a) {
    if (a == 0) {
      axis = static_cast<int>(r.below(static_cast<std::uint64_t>(d)));
      value = 1 + 0x1p-52 * static_cast<double>(r.below(6));
      if (r.below(2)) value = -value;
      if (i % 7 == 0) value = 0;
    }
    return a == axis ? value : 0.0;
  });
}
inline Doubles large_squares(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  return make_doubles(n, d, [&](auto, int) { return 1e150 * (2 * r.uniform() - 1); });
}
inline Doubles denormals(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  return make_doubles(n, d, [&](auto, int) { return 0x1p-1074 * static_cast<double>(r.below(1 << 20)); });
}
inline Doubles squares_that_underflow(std::int64_t n, int d, std::uint64_t seed) {  // beside an extent of 1
  Random r(seed);
  return make_doubles(n, d, [&](std::int64_t i, int) { return i % 16 ? 1e-30 * r.uniform() : r.uniform(); });
}
inline Doubles squares_lost_in_float64(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  return make_doubles(n, d, [&](std::int64_t i, int) { return i % 16 ? 1e-160 * r.uniform() : r.uniform(); });
}
inline Doubles same_float32(std::int64_t n, int d, std::uint64_t seed) {  // all of them
  Random r(seed);
  return make_doubles(n, d, [&](auto, int a) { return 1e6 + a + 1e-6 * r.uniform(); });
}
inline Doubles one_double(std::int64_t n, int d, std::uint64_t) {
  return make_doubles(n, d, [](auto, int a) { return 0.1 + a; });
}

inline const std::vector<Float64CloudKind>& float64_clouds() {
  static const std::vector<Float64CloudKind> kinds = {
      {"fine", fine},
      {"map_tile", map_tile},
      {"two_sites", two_sites},
      {"corridor", corridor},
      {"sphere_clusters", sphere_clusters},
      {"decades", decades},
      {"decimal_lattice", decimal_lattice},
      {"near_ties", near_ties},
      {"large_squares", large_squares},
      {"denormals", denormals},
      {"squares_that_underflow", squares_that_underflow},
      {"squares_lost_in_float64", squares_lost_in_float64},
      {"same_float32", same_float32},
      {"one_double", one_double},
  };
  return kinds;
}

inline Points to_points(const Doubles& c, int d) { return Points{d, Array<double>(c.begin(), c.end())}; }

/// The float32s nearest to float64s that do not exceed their range.
inline Points to_float32(const Doubles& c, int d) {
  Points points{d, Array<float>()};
  for (const double x : c) std::get<Array<float>>(points.coordinates).push_back(static_cast<float>(x));
  return points;
}

/// Per kind of cloud, a search of `m` queries in `n` points, every fourth query a data point, and a self-query; and,
/// where float32 has the range, float32 queries in float64 data and the reverse.
inline std::vector<Case> float64_cases(std::int64_t n, std::int64_t m, int d, std::uint64_t seed) {
  std::vector<Case> all;
  for (const auto& kind : float64_clouds()) {
    const std::string name =
        kind.name + " n=" + std::to_string(n) + " m=" + std::to_string(m) + " d=" + std::to_string(d);
    const Doubles data = kind.make(n, d, seed);
    Doubles queries = kind.make(m, d, seed + 1);
    for (std::size_t i = 0; i < std::min(data.size(), queries.size()); ++i)
      if (i / d % 4 == 0) queries[i] = data[i];
    all.push_back({name, to_points(data, d), to_points(queries, d)});
    all.push_back({name + " self", to_points(data, d), std::nullopt});
    if (kind.name == "large_squares") continue;
    all.push_back({name + " float32 queries", to_points(data, d), to_float32(queries, d)});
    all.push_back({name + " float32 data", to_float32(data, d), to_points(queries, d)});
  }
  return all;
}

}  // namespace kann::test
