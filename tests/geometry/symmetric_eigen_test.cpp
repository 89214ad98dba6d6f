// Eigenvalues and the vector of the least, of matrices that are made from known ones.
#include "geometry/symmetric_eigen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "clouds.hpp"

namespace kann::test {
namespace {

using geometry::eigen_of;
using geometry::Symmetric3;
using geometry::SymmetricEigen;
using Columns = std::array<std::array<long double, 3>, 3>;

/// Three orthogonal unit vectors, from a random quaternion.
Columns random_rotation(Random& random) {
  std::array<long double, 4> q;
  long double square = 0;
  for (long double& x : q) {
    x = random.normal();
    square += x * x;
  }
  for (long double& x : q) x /= std::sqrt(square);
  const auto [w, x, y, z] = q;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
           {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
           {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
}

Symmetric3 matrix_of(const Columns& vectors, const std::array<double, 3>& values) {
  const auto at = [&](std::size_t i, std::size_t j) {
    long double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += values[c] * vectors[c][i] * vectors[c][j];
    return static_cast<double>(sum);
  };
  return {at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)};
}

constexpr std::array<double, 3> k_values[] = {
    {3, 2, 1},
    {1, 0.999, 0.998},
    {1, 1, 0.999},
    {1, 0.999, 0.999},
    {1, 0.001, 0},
    {1, 1e-12, 1e-13},
    {1, 1 - 1e-9, 1e-15},
    {1, 1, 0},
    {1, 0, 0},
    {1, 0.5, 0},
    {1, 1e-3, 1e-6},
    {1e60, 2e59, 1e58},
    {1e-60, 5e-61, 0},
    {1, 1 - 1e-7, 1 - 2e-7},
    {9, 4, 4 - 4e-6},
};

TEST(SymmetricEigen, IsThatOfTheMatrixThatWasMade) {
  Random random(3);
  for (const auto& values : k_values)
    for (int repeat = 0; repeat < 2000; ++repeat) {
      const Columns vectors = random_rotation(random);
      const SymmetricEigen eigen = eigen_of(matrix_of(vectors, values));
      for (std::size_t i = 0; i < 3; ++i) ASSERT_NEAR(eigen.values[i], values[i], 0x1p-49 * values[0]);
      const double gap = values[1] - values[2];
      if (gap == 0) continue;
      const auto& [x, y, z] = vectors[2];
      const auto& [a, b, c] = eigen.least;
      ASSERT_NEAR(a * a + b * b + c * c, 1, 0x1p-50);
      const long double sine = std::hypot(b * z - c * y, c * x - a * z, a * y - b * x);
      ASSERT_LE(static_cast<double>(sine), 0x1p-49 * values[0] / gap) << values[1] << ' ' << values[2];
    }
}

TEST(SymmetricEigen, IsExactOnAxes) {
  std::array<double, 3> values{9, 4, 0};
  std::sort(values.begin(), values.end());
  do {
    const SymmetricEigen eigen = eigen_of({values[0], 0, 0, values[1], 0, values[2]});
    EXPECT_EQ(eigen.values, (std::array<double, 3>{9, 4, 0}));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(std::abs(eigen.least[i]), values[i] == 0 ? 1 : 0);
  } while (std::next_permutation(values.begin(), values.end()));
  EXPECT_EQ(eigen_of({0.5, 0, 0, 0, 0, 1}).values,
            (std::array<double, 3>{1, 0.5, 0}));  // as far from the first as from the last
  EXPECT_EQ(eigen_of({}).values, (std::array<double, 3>{}));
  EXPECT_EQ(eigen_of({2, 0, 0, 2, 0, 2}).values, (std::array<double, 3>{2, 2, 2}));
}

TEST(SymmetricEigen, AxisThatAPlaneDoesNotHaveStaysExact) {
  Random random(4);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const double a = random.uniform(), c = random.uniform(), b = (random.uniform() - 0.5) * 2 * std::sqrt(a * c);
    const SymmetricEigen eigen = eigen_of({a, b, 0, c, 0, 0});
    EXPECT_EQ(eigen.values[2], 0);
    EXPECT_EQ(std::abs(eigen.least[2]), 1);
  }
}

TEST(SymmetricEigen, LargestRootIsThatOfTheCosine) {
  for (int i = 0; i <= 1000; ++i) {
    const double h = i / 1000.0;
    EXPECT_NEAR(geometry::largest_root(h),
                static_cast<double>(2 * std::cos(std::acos(static_cast<long double>(h)) / 3)), 0x1p-51);
  }
}

}  // namespace
}  // namespace kann::test
