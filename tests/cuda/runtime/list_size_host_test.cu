// Which list serves how many neighbours: the dispatcher, at every size.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kann::cuda
