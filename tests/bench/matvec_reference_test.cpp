// The host's product of a matrix and a vector of small integers.
#include "papers/matvec/matvec_reference.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace kann::bench {
namespace {

TEST(MatvecReference, NumbersAreTheIntegersFromMinus8To7AndAllOfThem) {
  std::vector<float> values = random_small_integers(10000, 1);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<float> wanted(16);
  std::iota(wanted.begin(), wanted.end(), -8.0f);
  EXPECT_EQ(values, wanted);
}

TEST(MatvecReference, ProductIsTheInnerProductOfEachRow) {
  for (const std::size_t n : {0u, 1u, 2u, 31u, 32u, 33u, 200u}) {
    const std::vector<float> matrix = random_small_integers(n * n, 2), vector = random_small_integers(n, 3);
    std::vector<float> wanted;
    for (std::size_t row = 0; row < n; ++row)
      wanted.push_back(static_cast<float>(std::inner_product(
          vector.begin(), vector.end(), matrix.begin() + static_cast<std::ptrdiff_t>(row * n), 0.0)));
    EXPECT_EQ(product_on_host(matrix, vector), wanted) << n;
  }
}

}  // namespace
}  // namespace kann::bench
