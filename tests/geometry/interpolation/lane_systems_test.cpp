// The solver in lanes: small backward errors, as LAPACK's dgesv has, on random, graded and nearly singular systems.
//
// KANN_TEST_SYSTEMS=N in the environment solves N systems of each kind instead of some 3,000.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "cpu/interpolation/lane_group.hpp"
#include "cpu/on_vector_target.hpp"

#ifdef KANN_TEST_LAPACK
extern "C" void dgesv_(const int* n, const int* nrhs, double* a, const int* lda, int* pivots, double* b, const int* ldb,
                       int* info);
#endif

namespace kann::test {
namespace {

struct System {
  int n;
  std::vector<double> a, b;  // by columns
};

enum class Kind { random, graded, nearly_singular, saddle };

System make_system(Kind kind, int n, Random& random) {
  System s{n, std::vector<double>(static_cast<std::size_t>(n * n)), std::vector<double>(static_cast<std::size_t>(n))};
  for (double& x : s.a) x = random.normal();
  for (double& x : s.b) x = random.normal();
  const auto at = [&](int i, int j) -> double& { return s.a[static_cast<std::size_t>(j * n + i)]; };
  if (kind == Kind::graded)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) at(i, j) *= std::pow(10.0, -12.0 * (i + j) / (2 * n));
  if (kind == Kind::nearly_singular)
    for (int i = 0; i < n; ++i) at(i, n - 1) = at(i, 0) - at(i, 1) + 1e-10 * at(i, n - 1);
  if (kind == Kind::saddle)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) at(j, i) = at(i, j) = i == j || j >= n - n / 5 ? 0 : at(i, j);
  return s;
}

/// ‖b − A x‖ / (‖A‖ ‖x‖ + ‖b‖) in the maximum norm.
double backward_error(const System& s, const std::vector<double>& x) {
  long double residual = 0, norm = 0, largest_x = 0, largest_b = 0;
  for (int i = 0; i < s.n; ++i) {
    long double r = s.b[static_cast<std::size_t>(i)], row = 0;
    for (int j = 0; j < s.n; ++j) {
      r -= static_cast<long double>(s.a[static_cast<std::size_t>(j * s.n + i)]) * x[static_cast<std::size_t>(j)];
      row += std::abs(s.a[static_cast<std::size_t>(j * s.n + i)]);
    }
    residual = std::max(residual, std::abs(r));
    norm = std::max(norm, row);
    largest_x = std::max(largest_x, std::abs(static_cast<long double>(x[static_cast<std::size_t>(i)])));
    largest_b = std::max(largest_b, std::abs(static_cast<long double>(s.b[static_cast<std::size_t>(i)])));
  }
  return static_cast<double>(residual / (norm * largest_x + largest_b));
}

std::vector<std::vector<double>> solve(const std::vector<System>& systems, std::uint32_t& regular) {
  const int lanes = cpu::weight_lanes(), n = systems[0].n;
  const cpu::AlignedDoubles columns(static_cast<std::size_t>(n * (n + 1) * lanes));
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < n * (n + 1); ++i)
      columns.data()[i * lanes + lane] = i < n * n ? systems[lane].a[i] : systems[lane].b[i - n * n];
  regular = cpu::solve_lane_systems(n, 0, columns.data());
  std::vector<std::vector<double>> out(systems.size(), std::vector<double>(static_cast<std::size_t>(n)));
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < n; ++i) out[lane][i] = columns.data()[(n * n + i) * lanes + lane];
  return out;
}

class LaneSystems : public cpu::OnVectorTarget {};

TEST_P(LaneSystems, HaveSmallBackwardErrors) {
  const char* const asked = std::getenv("KANN_TEST_SYSTEMS");
  const long count = asked ? std::atol(asked) : 3000;
  for (const Kind kind : {Kind::random, Kind::graded, Kind::nearly_singular, Kind::saddle}) {
    Random random(40 + static_cast<std::uint64_t>(kind));
    double worst = 0;  // in n ε
    for (long done = 0, n = 4; done < count; n = n == 74 ? 4 : n + 1) {
      std::vector<System> systems;
      for (int lane = 0; lane < cpu::weight_lanes(); ++lane)
        systems.push_back(make_system(kind, static_cast<int>(n), random));
      std::uint32_t regular = 0;
      const auto solutions = solve(systems, regular);
      EXPECT_EQ(regular, (1u << cpu::weight_lanes()) - 1);
      for (std::size_t s = 0; s < systems.size(); ++s)
        worst = std::max(worst, backward_error(systems[s], solutions[s]) / (static_cast<double>(n) * 0x1p-52));
      done += std::ssize(systems);
    }
    EXPECT_LE(worst, 10) << static_cast<int>(kind);
    RecordProperty("worst_of_kind_" + std::to_string(static_cast<int>(kind)), std::to_string(worst));
  }
}

TEST_P(LaneSystems, AreThoseOfLapack) {
#ifdef KANN_TEST_LAPACK
  for (const Kind kind : {Kind::random, Kind::saddle}) {
    Random random(50 + static_cast<std::uint64_t>(kind));
    for (int n = 1; n <= 74; ++n) {
      std::vector<System> systems;
      for (int lane = 0; lane < cpu::weight_lanes(); ++lane)
        systems.push_back(make_system(kind == Kind::saddle && n < 6 ? Kind::random : kind, n, random));
      std::uint32_t regular = 0;
      const auto solutions = solve(systems, regular);
      for (std::size_t s = 0; s < systems.size(); ++s) {
        System copy = systems[s];
        const int one = 1;
        int info = 0;
        std::vector<int> pivots(static_cast<std::size_t>(n));
        dgesv_(&n, &one, copy.a.data(), &n, pivots.data(), copy.b.data(), &n, &info);
        ASSERT_EQ(info, 0);
        double size = 0;
        for (const double x : copy.b) size = std::max(size, std::abs(x));
        for (int i = 0; i < n; ++i) ASSERT_NEAR(solutions[s][i], copy.b[i], 1e-8 * size) << "n=" << n;
        EXPECT_LE(backward_error(systems[s], solutions[s]), 4 * backward_error(systems[s], copy.b) + n * 0x1p-52);
      }
    }
  }
#else
  GTEST_SKIP() << "built without LAPACK";
#endif
}

TEST_P(LaneSystems, SaysWhichAreSingular) {
  Random random(60);
  for (const int n : {1, 2, 5, 20})
    for (int singular = 0; singular < cpu::weight_lanes(); ++singular)
      for (const double spoiled : {0.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        std::vector<System> systems;
        for (int lane = 0; lane < cpu::weight_lanes(); ++lane) systems.push_back(make_system(Kind::random, n, random));
        for (int i = 0; i < n; ++i) systems[singular].a[static_cast<std::size_t>((n / 2) * n + i)] = spoiled;
        std::uint32_t regular = 0;
        solve(systems, regular);
        EXPECT_EQ(regular, ((1u << cpu::weight_lanes()) - 1) & ~(1u << singular)) << n << " " << spoiled;
      }
}

INSTANTIATE_TEST_SUITE_P(, LaneSystems, testing::ValuesIn(cpu::vector_targets()), cpu::vector_target_name);

}  // namespace
}  // namespace kann::test
