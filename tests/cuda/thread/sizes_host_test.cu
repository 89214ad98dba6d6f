// What is chosen or made for a thread by its size, on the host: the blocks of a launch, the list for so many
// neighbours, and the sorting networks of smallest_values.cuh.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "clouds.hpp"
#include "cuda/launch.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"
#include "cuda/thread/nearest_list.cuh"
#include "cuda/thread/smallest_values.cuh"

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

/// The smallest power of two that is at least `size` and at least `first`.
std::int64_t power_of_two(std::int64_t size, std::int64_t first) {
  std::int64_t power = first;
  while (power < size) power *= 2;
  return power;
}

TEST(ListSizeHost, IsRoundedUpToAPowerOfTwo) {
  for (std::int64_t size = 0; size <= 1025; ++size) ASSERT_EQ(rounded_list_size(size), power_of_two(size, 1));
  static_assert(rounded_list_size(5) == 8);
}

TEST(ListSizeHost, AThreadsListIsTheSmallestThatHoldsTheNeighbors) {
  for (std::int64_t size = 0; size <= k_max_register_list; ++size) {
    std::int64_t list = 0;
    thread::with_list(size, [&](auto k) { list = k(); });
    ASSERT_EQ(list, power_of_two(size, 1)) << size;
  }
}

/// By the 0-1 principle, a network that sorts all sequences of zeros and ones sorts everything.
template <int K>
void expect_all_zeros_and_ones_sorted() {
  for (unsigned pattern = 0; pattern < 1u << K; ++pattern) {
    float values[K];
    for (int i = 0; i < K; ++i) values[i] = static_cast<float>(pattern >> i & 1);
    thread::sort(values);
    ASSERT_TRUE(std::is_sorted(values, values + K)) << K << " " << pattern;
  }
}

TEST(SmallestValuesHost, TheNetworkSorts) {
  test::for_sizes<1, 2, 4, 8, 16>([](auto k) { expect_all_zeros_and_ones_sorted<k()>(); });
}

template <int K, class T>
void expect_smallest_kept() {
  test::Random random(K);
  for (int round = 0; round < 200; ++round) {
    const int batches = static_cast<int>(random.below(6));
    thread::SmallestValues<K, T> smallest;
    std::vector<T> all(K + 1, thread::k_largest<T>);
    for (int b = 0; b < batches; ++b) {
      T batch[K];
      for (T& value : batch) all.push_back(value = static_cast<T>(random.below(round % 2 ? 10 : 100000)));
      smallest.offer(batch);
    }
    std::sort(all.begin(), all.end());
    for (int j = 0; j < K; ++j) ASSERT_EQ(smallest[j], all[j]) << K << " " << j;
    ASSERT_EQ(smallest.last(), all[K - 1]);
    ASSERT_EQ(smallest.left_out(), all[K]);
  }
}

TEST(SmallestValuesHost, KeepsTheSmallest) {
  test::for_sizes<1, 2, 4, 8, 16, 32>([](auto k) {
    expect_smallest_kept<k(), float>();
    expect_smallest_kept<k(), std::uint32_t>();
  });
}

}  // namespace
}  // namespace kann::cuda
