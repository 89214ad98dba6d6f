// Seeded clouds that are hard for neighbour searches: ties, clusters, lines, slabs, outliers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kann/points.hpp"

namespace kann::test {

/// Row-major, n × d.
using Coordinates = std::vector<float>;

/// Random numbers that are the same everywhere: std::mt19937_64 is, the distributions of <random> are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  double normal() {  // Box–Muller
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

/// A cloud in which coordinate `a` of point `i` is coordinate(i, a).
inline Coordinates make_cloud(std::int64_t n, int d, const std::function<double(std::int64_t, int)>& coordinate) {
  Coordinates c(static_cast<std::size_t>(n * d));
  for (std::int64_t i = 0; i < n; ++i)
    for (int a = 0; a < d; ++a) c[i * d + a] = static_cast<float>(coordinate(i, a));
  return c;
}

struct CloudKind {
  std::string name;
  Coordinates (*make)(std::int64_t n, int d, std::uint64_t seed);
};

inline Coordinates uniform(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  return make_cloud(n, d, [&](auto, int) { return r.uniform(); });
}
inline Coordinates clusters(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  const std::int64_t count = std::max<std::int64_t>(1, n / 100);
  Coordinates centres = make_cloud(count, d, [&](auto, int) { return r.uniform(); });
  std::uint64_t cluster = 0;
  return make_cloud(n, d, [&](auto, int a) {
    if (a == 0) cluster = r.below(count);
    return centres[cluster * d + a] + 0.002 * r.normal();
  });
}
inline Coordinates line(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  double t = 0;
  return make_cloud(n, d, [&](auto, int a) { return a == 0 ? (t = r.uniform()) : t * (a + 1); });
}
inline Coordinates plane(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  return make_cloud(n, d, [&](auto, int a) { return a == d - 1 ? 0.25 : r.uniform(); });
}
inline Coordinates slab(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  return make_cloud(n, d, [&](auto, int a) { return r.uniform() * (a == 0 ? 1e4 : 1.0); });
}
inline Coordinates identical(std::int64_t n, int d, std::uint64_t) {
  return make_cloud(n, d, [](auto, int a) { return 1.5 + a; });
}
inline Coordinates lattice(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  const double side = std::max(2.0, std::floor(std::pow(static_cast<double>(n), 1.0 / d)));
  return make_cloud(n, d, [&](auto, int) { return std::floor(r.uniform() * side); });
}
inline Coordinates duplicates(std::int64_t n, int d, std::uint64_t seed) {
  Coordinates c = uniform(n, d, seed);
  for (std::int64_t i = 0; i < n; ++i)
    for (int a = 0; a < d; ++a)
      if (i % 3 != 0) c[i * d + a] = i % 3 == 1 ? 0.0f : c[(i / 6) * 3 * d + a];
  return c;
}
inline Coordinates outlier(std::int64_t n, int d, std::uint64_t seed) {
  Coordinates c = uniform(n, d, seed);
  if (n > 2)
    for (int a = 0; a < d; ++a) c[(n / 2) * d + a] = 1e6f;
  return c;
}
inline Coordinates surface(std::int64_t n, int d, std::uint64_t seed) {  // a bumpy sphere, or circle
  Random r(seed);
  double p[3] = {0, 0, 0};
  return make_cloud(n, d, [&](auto, int a) {
    if (a == 0) {
      double norm = 0;
      for (int b = 0; b < d; ++b) {
        p[b] = r.normal();
        norm += p[b] * p[b];
      }
      for (int b = 0; b < d; ++b) p[b] *= (1 + 0.1 * std::sin(7 * p[0])) / std::sqrt(norm + 1e-30);
    }
    return p[a];
  });
}
inline Coordinates far_away(std::int64_t n, int d, std::uint64_t seed) {  // floats that differ only in their last bits
  Random r(seed);
  return make_cloud(n, d, [&](auto, int a) { return 5e5 * (a + 1) + 64 * r.uniform(); });
}
inline Coordinates tiny(std::int64_t n, int d, std::uint64_t seed) {  // squares underflow
  Random r(seed);
  return make_cloud(n, d, [&](auto, int) { return 1e-30 * r.uniform(); });
}
inline Coordinates huge(std::int64_t n, int d, std::uint64_t seed) {  // squares overflow
  Random r(seed);
  return make_cloud(n, d, [&](auto, int) { return 3e38 * (2 * r.uniform() - 1); });
}

inline Coordinates crowded(std::int64_t n, int d,
                           std::uint64_t seed) {  // half of the points in a few cells of any grid
  Random r(seed);
  std::int64_t in_crowded_cell = 0;
  return make_cloud(n, d, [&](auto, int a) {
    if (a == 0) in_crowded_cell = r.below(2);
    return in_crowded_cell ? 0.1 + 1e-7 * r.normal() : r.uniform() - 0.5;
  });
}

/// A third of the points in one cell of any grid, on a plane but for noise of many powers of two.
inline Coordinates one_axis_noise(std::int64_t n, int d, std::uint64_t seed) {
  Random r(seed);
  std::int64_t in_crowded_cell = 0;
  return make_cloud(n, d, [&](auto, int a) {
    if (a == 0) in_crowded_cell = r.below(3) == 0;
    if (!in_crowded_cell) return r.uniform() - 0.5;
    return a == d - 1 ? std::ldexp(r.uniform() - 0.5, -50 - static_cast<int>(r.below(40))) : 1e-7 * r.uniform();
  });
}

inline constexpr float k_nan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float k_infinity = std::numeric_limits<float>::infinity();

inline const std::vector<CloudKind>& all_clouds() {
  static const std::vector<CloudKind> kinds = {
      {"uniform", uniform}, {"clusters", clusters},   {"line", line},         {"plane", plane},
      {"slab", slab},       {"identical", identical}, {"lattice", lattice},   {"duplicates", duplicates},
      {"outlier", outlier}, {"surface", surface},     {"far_away", far_away}, {"tiny", tiny},
      {"huge", huge},       {"crowded", crowded},
  };
  return kinds;
}

/// The clouds with the most ties, for tests at many sizes.
inline const std::vector<CloudKind>& tied_clouds() {
  static const std::vector<CloudKind> kinds = {
      {"uniform", uniform}, {"identical", identical}, {"lattice", lattice}, {"duplicates", duplicates}};
  return kinds;
}

inline Points to_points(const Coordinates& c, int d) { return Points{d, Array<float>(c.begin(), c.end())}; }

}  // namespace kann::test
