// The number of blocks of a launch, on the host.
#include <gtest/gtest.h>

#include "cuda/runtime/launch.cuh"

namespace kann::cuda {
namespace {

TEST(LaunchHost, EveryElementHasAThreadAndNoBlockIsEmpty) {
  for (const std::int64_t threads : {1, 32, 128, 256, 1024})
    for (int exponent = 0; exponent <= 31; ++exponent)
      for (const int step : {-1, 0, 1}) {
        const std::int64_t n = (std::int64_t{1} << exponent) + step;
        if (n == 0 || (n + threads - 1) / threads > 0x7fffffff) continue;
        const std::int64_t blocks = blocks_for(n, static_cast<int>(threads));
        ASSERT_GE(blocks * threads, n) << threads;
        ASSERT_LT((blocks - 1) * threads, n) << threads;
      }
}

TEST(LaunchHost, AllPointsThatThereCanBeHaveAThread) { EXPECT_EQ(blocks_for((std::int64_t{1} << 32) - 1), 1u << 24); }

TEST(LaunchHost, AGridHasABlockForNoElementsAndNoMoreThanTheDeviceAllows) {
  EXPECT_EQ(blocks_for(0), 1u);
  EXPECT_EQ(blocks_for(std::int64_t{1} << 40, 1), 0x7fffffffu);
  EXPECT_EQ(blocks_for(std::int64_t{1} << 60), 0x7fffffffu);
}

}  // namespace
}  // namespace kann::cuda
