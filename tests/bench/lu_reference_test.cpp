// The host's LU factorisation, that of which the product is the matrix, and the estimate of how far it is.
#include "papers/lu/lu_reference.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace kann::bench {
namespace {

/// P A − L U element by element, by the permutation and the products as they are defined.
template <class Real>
std::vector<double> difference(const std::vector<Real>& matrix, const std::vector<Real>& factors,
                               const std::vector<std::int32_t>& pivots, int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = 0; k < pivots.size(); ++k) std::swap(order[k], order[static_cast<std::size_t>(pivots[k])]);
  std::vector<double> result;
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int k = 0; k <= std::min(row, column); ++k)
        sum += (k == row ? 1.0 : static_cast<double>(factors[static_cast<std::size_t>(row + k * n)])) *
               static_cast<double>(factors[static_cast<std::size_t>(k + column * n)]);
      result.push_back(static_cast<double>(matrix[static_cast<std::size_t>(order[row] + column * n)]) - sum);
    }
  return result;
}

double norm(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

TEST(LuReference, FactorsAMatrixThatIsFactoredByHand) {
  // Rows 1 2 4, 2 8 4, 4 4 8: the last row is the first pivot, the second row the second.
  std::vector<double> matrix = {1, 2, 4, 2, 8, 4, 4, 4, 8};
  EXPECT_EQ(factor_on_host(matrix, 3, true), (std::vector<std::int32_t>{2, 1, 2}));
  EXPECT_EQ(matrix, (std::vector<double>{4, .5, .25, 4, 6, 1. / 6, 8, 0, 2}));
}

TEST(LuReference, TheFirstOfEqualMagnitudesIsThePivot) {
  std::vector<float> matrix = {1, -3, 3, 0, 1, 0, 0, 0, 1};
  EXPECT_EQ(factor_on_host(matrix, 3, true).front(), 1);
}

template <class Real>
class LuOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LuOf, Reals);

TYPED_TEST(LuOf, ProductIsTheMatrixWithItsRowsExchanged) {
  for (const int n : {1, 2, 3, 15, 16, 17, 64, 100})
    for (const bool pivoting : {false, true}) {
      const std::vector<TypeParam> matrix = random_matrix<TypeParam>(n, pivoting, 7);
      std::vector<TypeParam> factors = matrix;
      const auto pivots = factor_on_host(factors, n, pivoting);
      ASSERT_EQ(pivots.size(), pivoting ? n : 0u);
      const double whole = norm({matrix.begin(), matrix.end()});
      const double eps = static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
      EXPECT_LE(norm(difference(matrix, factors, pivots, n)), n * eps * whole) << n << ' ' << pivoting;
      for (int column = 0; column < n && pivoting; ++column)
        for (int row = column + 1; row < n; ++row)
          ASSERT_LE(std::abs(factors[static_cast<std::size_t>(row + column * n)]), 1) << n;
    }
}

TYPED_TEST(LuOf, ResidualIsThatOfTheWholeMatrixWithinAFactorOfTwo) {
  constexpr int n = 60;
  const std::vector<TypeParam> matrix = random_matrix<TypeParam>(n, true, 3);
  std::vector<TypeParam> factors = matrix;
  const auto pivots = factor_on_host(factors, n, true);
  const double whole = norm({matrix.begin(), matrix.end()});
  for (const int wrong : {0, n - 1, 5 * n + 20, n * n - 1}) {
    std::vector<TypeParam> changed = factors;
    changed[static_cast<std::size_t>(wrong)] += 1;
    const double wanted = norm(difference(matrix, changed, pivots, n)) / whole;
    const double residual = lu_residual(matrix, changed, pivots, n);
    EXPECT_GT(residual, wanted / 2) << wrong;
    EXPECT_LT(residual, wanted * 2) << wrong;
  }
  auto other_rows = pivots;
  other_rows[10] = other_rows[10] == 40 ? 41 : 40;
  EXPECT_GT(lu_residual(matrix, factors, other_rows, n), 0.01);
  EXPECT_LT(lu_residual(matrix, factors, pivots, n),
            n * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
}

}  // namespace
}  // namespace kann::bench
