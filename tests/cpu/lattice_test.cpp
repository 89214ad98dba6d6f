// Where float32 squared distances are said to be exact, they are.
#include "cpu/order/lattice.hpp"

#include <gtest/gtest.h>

#include "brute_force.hpp"
#include "float64_clouds.hpp"

namespace kann::cpu {
namespace {

float limit_of(const Points& data, const Points& queries) {
  SearchOptions options;
  options.k = 1;
  options.threads = 2;
  const problem::Prepared prepared = problem::prepare(data, queries, options);
  return exact_float32_limit(prepared.problem, lattice_step(prepared.problem));
}

TEST(Lattice, IsFoundWhereCoordinatesAreFewIntegers) {
  for (const int d : {2, 3})
    for (const float scale : {1.0f, 0x1p-20f, 0x1p10f}) {
      auto data = test::lattice(1000, d, 1), queries = test::lattice(100, d, 2);
      for (float& x : data) x *= scale;
      for (float& x : queries) x *= scale;
      EXPECT_EQ(limit_of(test::to_points(data, d), test::to_points(queries, d)), 0x1p24f * scale * scale);
    }
  const auto same = test::to_points(test::identical(1000, 3, 1), 3);
  EXPECT_EQ(limit_of(same, same), 0x1p22f);  // multiples of one half
}

TEST(Lattice, IsNotFoundElsewhere) {
  const auto lattice = test::to_points(test::lattice(1000, 3, 1), 3);
  auto halves = test::lattice(1000, 3, 1);
  halves.back() = 0x1p-30f;
  EXPECT_EQ(limit_of(test::to_points(test::uniform(1000, 3, 1), 3), lattice), 0);
  EXPECT_EQ(limit_of(lattice, test::to_points(test::uniform(1000, 3, 1), 3)), 0);
  EXPECT_EQ(limit_of(test::to_points(halves, 3), lattice), 0);
  EXPECT_EQ(limit_of(test::to_points(test::decimal_lattice(1000, 3, 1), 3), lattice), 0);
  EXPECT_EQ(limit_of(Points{3, Array<float>()}, lattice), 0);
  const Points tiny{3, Array<float>(300, 0x1p-100f)};  // squares underflow
  EXPECT_EQ(limit_of(tiny, tiny), 0);
}

/// Steps of 1 and coordinates up to 6,000: some squared distances are exact in float32, others are not.
TEST(Lattice, DistancesBelowTheLimitAreExact) {
  test::Random random(3);
  const auto wide = [&](std::int64_t n) {
    return test::make_cloud(n, 3, [&](auto, int) { return static_cast<double>(random.below(6000)); });
  };
  const auto data = wide(3000), queries = wide(300);
  const float limit = limit_of(test::to_points(data, 3), test::to_points(queries, 3));
  ASSERT_EQ(limit, 0x1p24f);
  std::int64_t inexact = 0;
  for (int q = 0; q < 300; ++q)
    for (int i = 0; i < 3000; ++i) {
      std::int64_t exact = 0;
      for (int a = 0; a < 3; ++a) {
        const auto difference = static_cast<std::int64_t>(queries[q * 3 + a] - data[i * 3 + a]);
        exact += difference * difference;
      }
      const float computed = test::fused_sq_distance(&queries[q * 3], &data[i * 3], 3);
      ASSERT_EQ(computed < limit, exact < 1 << 24);
      if (computed < limit) {
        ASSERT_EQ(static_cast<std::int64_t>(computed), exact);
      } else {
        inexact += static_cast<std::int64_t>(computed) != exact;
      }
    }
  EXPECT_GT(inexact, 0);
}

}  // namespace
}  // namespace kann::cpu
