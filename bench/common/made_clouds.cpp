#include "common/made_clouds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"

namespace kann::bench {
namespace {

using Point = std::array<double, 3>;
constexpr double k_pi = 3.14159265358979323846;

/// The finaliser of splitmix64: a bijection that turns successive multiples of an odd number into random-looking bits.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// The random numbers of one point: a function of its index, so that threads share no state.
class Draw {
 public:
  Draw(std::uint64_t stream, std::uint64_t point) : key_(mix(stream) ^ mix(point + 1)) {}

  std::uint64_t bits() { return mix(key_ += 0x9e3779b97f4a7c15u); }
  double uniform() { return static_cast<double>(bits() >> 40) * 0x1p-24; }  // [0, 1), exact in float32
  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  Point in_cube() { return {uniform(), uniform(), uniform()}; }

  /// Three normal deviates (Box–Muller).
  Point normal() {
    const double r = std::sqrt(-2 * std::log(1 - uniform())), s = std::sqrt(-2 * std::log(1 - uniform()));
    const double a = 2 * k_pi * uniform(), b = 2 * k_pi * uniform();
    return {r * std::cos(a), r * std::sin(a), s * std::cos(b)};
  }

 private:
  std::uint64_t key_;
};

/// What a point depends on, apart from its own random numbers.
struct Shape {
  std::int64_t n;
  std::uint64_t shared;  ///< the random stream that data and queries share
  Role role;
};

Point around(const Point& centre, double scale, const Point& offset) {
  return {centre[0] + scale * offset[0], centre[1] + scale * offset[1], centre[2] + scale * offset[2]};
}

Point surface(Draw& draw) {
  const double z = 2 * draw.uniform() - 1, angle = 2 * k_pi * draw.uniform(), ring = std::sqrt(1 - z * z);
  const Point p = {ring * std::cos(angle), ring * std::sin(angle), z};
  const double radius = 1 + 0.1 * std::sin(7 * p[0]) * std::cos(5 * p[1]);
  return {radius * p[0], radius * p[1], radius * p[2]};
}

Point clump(Draw& draw, const Shape& shape) {
  if (draw.below(2)) return draw.in_cube();
  Draw centre(shape.shared, draw.below(100));
  return around(centre.in_cube(), 1e-5, draw.in_cube());
}

Point times(double factor, const Point& p) { return {factor * p[0], factor * p[1], factor * p[2]}; }

Point on_sphere(Draw& draw) {
  const Point p = draw.normal();
  return times(1 / std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), p);
}

/// In one of 1,000 Gaussian clusters.
Point in_cluster(Draw& draw, const Shape& shape) {
  Draw centre(shape.shared, draw.below(1000));
  return around(centre.in_cube(), 0.01, draw.normal());
}

/// A return of a laser scanner with 64 beams at one of 32 stations along a street: from the ground, from walls 12 m to
/// both sides, or from those 90 m ahead and behind, with a noise of 1 cm.
Point scan(Draw& draw) {
  const auto station = static_cast<double>(draw.below(32));
  const Point from = {4 * station - 62, 0.3 * (std::fmod(7 * station, 5) - 2), 1.8};
  const double elevation = (28 * static_cast<double>(draw.below(64)) / 63 - 25) * k_pi / 180;
  const double azimuth = 2 * k_pi * draw.uniform();
  const Point along = {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                       std::sin(elevation)};
  double range = 200;
  if (along[2] < 0) range = std::min(range, -from[2] / along[2]);
  if (along[1] != 0) range = std::min(range, (std::copysign(12, along[1]) - from[1]) / along[1]);
  if (along[0] != 0) range = std::min(range, (std::copysign(90, along[0]) - from[0]) / along[0]);
  return around(from, range + 0.01 * draw.normal()[0], along);
}

/// A lattice point, of about as many as there are points.
Point on_lattice(Draw& draw, const Shape& shape, int dimensions) {
  const auto n = static_cast<double>(shape.n);
  const auto side =
      static_cast<std::uint64_t>(std::max(2.0, std::floor(dimensions == 3 ? std::cbrt(n) : std::sqrt(n))));
  const auto place = [&] { return static_cast<double>(draw.below(side)); };
  const double x = place(), y = place();
  return {x, y, dimensions == 3 ? place() : 0};
}

/// On one of 2,000 streets in the unit square, three in four of them along an axis, with the noise of a measurement.
Point street(Draw& draw, const Shape& shape) {
  Draw own(shape.shared, draw.below(2000));
  const double x = own.uniform(), y = own.uniform(), length = 0.2 * own.uniform(), direction = 4 * own.uniform();
  const double angle = direction < 3 ? k_pi / 2 * std::floor(direction) : 2 * k_pi * own.uniform();
  const double t = length * draw.uniform();
  const Point noise = draw.normal();
  return {x + t * std::cos(angle) + 2e-5 * noise[0], y + t * std::sin(angle) + 2e-5 * noise[1], 0};
}

/// Seven points in ten fill the cube, and three lie in a plane that is as wide as two float32s.
Point noise(Draw& draw) {
  if (draw.below(10) < 7) return draw.in_cube();
  return {0.5 + 1e-7 * draw.uniform(), 0.5 + 1e-7 * draw.uniform(), 1e-17 * draw.normal()[2]};
}

Point log_wide(Draw& draw) {
  const auto any = [&] { return (draw.below(2) ? 1 : -1) * std::pow(10, 30 * draw.uniform() - 20); };
  return {any(), any(), any()};
}

Point beside_surface(Draw& draw, const Shape& shape) {
  const double spacing = std::sqrt(4 * k_pi / static_cast<double>(shape.n));
  return times(shape.role == Role::queries ? 1 + 100 * spacing : 1, surface(draw));
}

using Maker = std::function<Point(Draw&, std::int64_t, const Shape&)>;

const std::map<std::string, Maker, std::less<>>& makers() {
  static const std::map<std::string, Maker, std::less<>> table = {
      {"uniform", [](Draw& d, std::int64_t, const Shape&) { return d.in_cube(); }},
      {"surface", [](Draw& d, std::int64_t, const Shape&) { return surface(d); }},
      {"clusters", [](Draw& d, std::int64_t, const Shape& s) { return in_cluster(d, s); }},
      {"scan", [](Draw& d, std::int64_t, const Shape&) { return scan(d); }},
      {"identical",
       [](Draw&, std::int64_t, const Shape&) {
         return Point{0.5, 0.25, 0.75};
       }},
      {"lattice", [](Draw& d, std::int64_t, const Shape& s) { return on_lattice(d, s, 3); }},
      {"line",
       [](Draw& d, std::int64_t, const Shape&) {
         const double t = d.uniform();
         return Point{t, 2 * t, 3 * t};
       }},
      {"outlier",
       [](Draw& d, std::int64_t i, const Shape& s) {
         return i == s.n / 2 ? Point{1e6, 1e6, 1e6} : d.in_cube();
       }},
      {"clumps", [](Draw& d, std::int64_t, const Shape& s) { return clump(d, s); }},
      {"noise", [](Draw& d, std::int64_t, const Shape&) { return noise(d); }},
      {"powers",
       [](Draw& d, std::int64_t, const Shape&) { return times(std::exp2(-120 * d.uniform()), on_sphere(d)); }},
      {"log-wide", [](Draw& d, std::int64_t, const Shape&) { return log_wide(d); }},
      {"beside-surface", [](Draw& d, std::int64_t, const Shape& s) { return beside_surface(d, s); }},
      {"around-surface",
       [](Draw& d, std::int64_t, const Shape& s) {
         return s.role == Role::data ? surface(d) : around({-1.1, -1.1, -1.1}, 2.2, d.in_cube());
       }},
      {"above-plane",
       [](Draw& d, std::int64_t, const Shape& s) {
         const Point p = d.in_cube();
         return Point{p[0], p[1], s.role == Role::data ? 0 : 1 + p[2]};
       }},
      {"beside-line",
       [](Draw& d, std::int64_t, const Shape& s) {
         const double t = d.uniform();
         return s.role == Role::data ? Point{t, 2 * t, 3 * t} : around({30, -20, 7}, 1, d.in_cube());
       }},
      {"square", [](Draw& d, std::int64_t, const Shape&) { return d.in_cube(); }},
      {"blobs", [](Draw& d, std::int64_t, const Shape& s) { return in_cluster(d, s); }},
      {"streets", [](Draw& d, std::int64_t, const Shape& s) { return street(d, s); }},
      {"grid", [](Draw& d, std::int64_t, const Shape& s) { return on_lattice(d, s, 2); }},
      {"in-sphere", [](Draw& d, std::int64_t,
                       const Shape& s) { return s.role == Role::data ? on_sphere(d) : times(1e-3, d.normal()); }},
  };
  return table;
}

}  // namespace

Points make_cloud(std::string_view kind, std::int64_t n, std::uint64_t seed, Role role) {
  const auto found = makers().find(kind);
  if (found == makers().end()) throw Error(ErrorKind::usage, "unknown cloud '" + std::string(kind) + "'");
  const Maker& make = found->second;
  const Shape shape{n, mix(seed) * 2, role};
  const std::uint64_t stream = shape.shared + 1 + 2 * static_cast<std::uint64_t>(role);

  const int dimensions = std::ranges::count(k_planar_clouds, kind) > 0 ? 2 : 3;
  Array<float> coordinates(static_cast<std::size_t>(dimensions * n));
  base::parallel_for(n, base::thread_count(0), [&](std::int64_t i) {
    Draw draw(stream, static_cast<std::uint64_t>(i));
    const Point point = make(draw, i, shape);
    for (int a = 0; a < dimensions; ++a) coordinates[dimensions * i + a] = static_cast<float>(point[a]);
  });
  return Points{dimensions, std::move(coordinates)};
}

}  // namespace kann::bench
