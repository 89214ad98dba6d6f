// The sorting networks of smallest_values.cuh, on the host.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "clouds.hpp"
#include "cuda/thread/smallest_values.cuh"

namespace kann::cuda {
namespace {

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
  expect_all_zeros_and_ones_sorted<1>();
  expect_all_zeros_and_ones_sorted<2>();
  expect_all_zeros_and_ones_sorted<4>();
  expect_all_zeros_and_ones_sorted<8>();
  expect_all_zeros_and_ones_sorted<16>();
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

template <int K>
void expect_smallest_of_both_kept() {
  expect_smallest_kept<K, float>();
  expect_smallest_kept<K, std::uint32_t>();
}

TEST(SmallestValuesHost, KeepsTheSmallest) {
  expect_smallest_of_both_kept<1>();
  expect_smallest_of_both_kept<2>();
  expect_smallest_of_both_kept<4>();
  expect_smallest_of_both_kept<8>();
  expect_smallest_of_both_kept<16>();
  expect_smallest_of_both_kept<32>();
}

}  // namespace
}  // namespace kann::cuda
