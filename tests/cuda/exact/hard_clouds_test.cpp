// The exact method on clouds and queries that its first pass leaves open: enough of them that every kernel which goes
// on with them runs, and gives some of them up.
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cuda/gpu.hpp"
#include "cuda/same_bytes.hpp"
#include "float64_clouds.hpp"

namespace kann {
namespace {

class CudaHardClouds : public test::GpuTest {};

constexpr std::int64_t k_data = 20011, k_queries = 9001;

/// Points at distance `radius` of the origin, in any direction.
test::Coordinates sphere(std::int64_t n, int d, double radius, std::uint64_t seed) {
  test::Random random(seed);
  test::Coordinates c(static_cast<std::size_t>(n * d));
  for (std::int64_t i = 0; i < n; ++i) {
    double p[3], square = 1e-30;
    for (int a = 0; a < d; ++a) {
      p[a] = random.normal();
      square += p[a] * p[a];
    }
    for (int a = 0; a < d; ++a) c[i * d + a] = static_cast<float>(radius * p[a] / std::sqrt(square));
  }
  return c;
}

/// Points on spheres whose radii are powers of two.
test::Coordinates powers(std::int64_t n, int d, std::uint64_t seed) {
  auto c = sphere(n, d, 1, seed);
  for (std::int64_t i = 0; i < n; ++i)
    for (int a = 0; a < d; ++a) c[i * d + a] = std::ldexp(c[i * d + a], -static_cast<int>(i % 120));
  return c;
}

test::Coordinates log_wide(std::int64_t n, int d, std::uint64_t seed) {
  test::Random random(seed);
  return test::make_cloud(
      n, d, [&](auto, int) { return (random.below(2) ? 1 : -1) * std::pow(10, 30 * random.uniform() - 20); });
}

/// Each of the points of a square or cubic grid once.
test::Coordinates whole_grid(std::int64_t n, int d) {
  const auto side = static_cast<std::int64_t>(std::pow(static_cast<double>(n), 1.0 / d));
  return test::make_cloud(d == 2 ? side * side : side * side * side, d, [=](std::int64_t i, int a) {
    return static_cast<double>(a == 0 ? i % side : a == 1 ? i / side % side : i / side / side);
  });
}

/// A thousand points at each of a few places.
test::Coordinates piles(std::int64_t n, int d, std::uint64_t seed) {
  const auto places = test::uniform((n + 999) / 1000, d, seed);
  return test::make_cloud(n, d, [&](std::int64_t i, int a) { return places[i / 1000 * d + a]; });
}

/// Points of a grid with few places, so that most points of a warp's boxes are equally far.
test::Coordinates crowded_grid(std::int64_t n, int d, std::uint64_t seed) {
  test::Random random(seed);
  return test::make_cloud(n, d, [&](auto, int) { return static_cast<double>(random.below(d == 2 ? 5 : 3)); });
}

test::Coordinates uniform_around(std::int64_t n, int d, const double (&corner)[3], std::uint64_t seed) {
  test::Random random(seed);
  return test::make_cloud(n, d, [&](auto, int a) { return corner[a] + random.uniform(); });
}

std::vector<test::Case> hard_cases(int d) {
  const auto pair = [d](std::string name, const test::Coordinates& data, const test::Coordinates& queries) {
    return test::Case{std::move(name), test::to_points(data, d), test::to_points(queries, d)};
  };
  const auto self = [d](std::string name, const test::Coordinates& data) {
    return test::Case{std::move(name) + ", self", test::to_points(data, d), std::nullopt};
  };
  return {
      pair("noise on one axis", test::one_axis_noise(k_data, d, 1), test::one_axis_noise(k_queries, d, 2)),
      self("noise on one axis", test::one_axis_noise(k_data, d, 1)),
      pair("above a plane", test::plane(k_data, d, 3), uniform_around(k_queries, d, {0, 1, 1}, 4)),
      pair("beside a line", test::line(k_data, d, 5), uniform_around(k_queries, d, {30, -20, 7}, 6)),
      pair("in a sphere", sphere(k_data, d, 1, 7), sphere(k_queries, d, 1e-3, 8)),
      pair("powers of two", powers(k_data, d, 9), powers(k_queries, d, 10)),
      self("powers of two", powers(k_data, d, 9)),
      pair("log-wide", log_wide(k_data, d, 11), log_wide(k_queries, d, 12)),
      self("whole grid", whole_grid(k_data, d)),
      pair("grid", test::lattice(k_data, d, 16), test::lattice(k_queries, d, 17)),
      self("crowded grid", crowded_grid(k_data, d, 18)),
      pair("crowded grid", crowded_grid(k_data, d, 18), crowded_grid(k_queries, d, 19)),
      self("identical", test::identical(k_data, d, 0)),
      self("piles", piles(k_data, d, 13)),
      pair("beside piles", piles(k_data, d, 13), test::uniform(k_queries, d, 14)),
  };
}

TEST_F(CudaHardClouds, ExactGivesTheBytesOfTheCpu) {
  for (const int d : {2, 3})
    for (const auto& c : hard_cases(d))
      for (const std::int64_t k : {1, 8, 16}) ASSERT_NO_FATAL_FAILURE(test::expect_cpu_bytes(c, test::exact(k)));
}

TEST_F(CudaHardClouds, ExactGivesTheBytesOfTheCpuForLongLists) {
  for (const auto& c : hard_cases(3))
    for (const std::int64_t k : {17, 64, 100, 600}) ASSERT_NO_FATAL_FAILURE(test::expect_cpu_bytes(c, test::exact(k)));
}

TEST_F(CudaHardClouds, ExactGivesTheBytesOfTheCpuForFloat64) {
  for (const auto& c : test::float64_cases(k_data, k_queries, 3, 15))
    for (const std::int64_t k : {1, 8, 16}) ASSERT_NO_FATAL_FAILURE(test::expect_cpu_bytes(c, test::exact(k)));
}

}  // namespace
}  // namespace kann
