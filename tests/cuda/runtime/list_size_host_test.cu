// Which list serves how many neighbours: the dispatchers of both kinds of lists, at every size.
#include <gtest/gtest.h>

#include "cuda/block/nearest_list.cuh"
#include "cuda/runtime/list_size.hpp"
#include "cuda/thread/nearest_list.cuh"

namespace kann::cuda {
namespace {

/// The smallest power of two that is at least `size` and at least `first`.
std::int64_t power_of_two(std::int64_t size, std::int64_t first) {
  std::int64_t power = first;
  while (power < size) power *= 2;
  return power;
}

TEST(ListSizeHost, IsRoundedUpToAPowerOfTwo) {
  for (std::int64_t size = 0; size <= k_max_list; ++size) ASSERT_EQ(rounded_list_size(size), power_of_two(size, 1));
  static_assert(rounded_list_size(5) == 8);
}

TEST(ListSizeHost, AThreadsListIsTheSmallestThatHoldsTheNeighbors) {
  for (std::int64_t size = 0; size <= k_max_register_list; ++size) {
    std::int64_t list = 0;
    thread::with_list(size, [&](auto k) { list = k(); });
    ASSERT_EQ(list, power_of_two(size, 1)) << size;
  }
}

TEST(ListSizeHost, ABlocksListIsTheSmallestThatHoldsTheNeighbors) {
  for (std::int64_t size = 1; size <= k_max_list; ++size) {
    std::int64_t list = 0, threads = 0;
    block::with_list(size, [&](auto k, auto threads_of_block) {
      list = k();
      threads = threads_of_block();
    });
    ASSERT_EQ(list, power_of_two(size, 64)) << size;
    ASSERT_EQ(threads % 32, 0) << size;
    ASSERT_EQ(2 * list % threads, 0) << size;  // the list and as many candidates, evenly
    // Lists of past registers are stored rounded_list_size() keys apart
    if (size > k_max_register_list) {
      ASSERT_EQ(list, rounded_list_size(size));
    }
  }
}

}  // namespace
}  // namespace kann::cuda
