// The allocator of Array: sizes small and large, alignment, overflow, and numbers left uninitialised.
#include "kann/array.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <string>

namespace kann {
namespace {

template <class T>
concept HasAllocateAtLeast = requires(DefaultInitAllocator<T> a) {
  a.allocate_at_least(std::size_t{1});
};

// A std::vector of C++23 calls allocate_at_least() if the allocator has it, instead of allocate().
static_assert(!std::is_base_of_v<std::allocator<float>, DefaultInitAllocator<float>>);
static_assert(!HasAllocateAtLeast<float>);

using Traits = std::allocator_traits<DefaultInitAllocator<float>>;
static_assert(std::is_same_v<Traits::value_type, float>);
static_assert(std::is_same_v<Traits::rebind_alloc<double>, DefaultInitAllocator<double>>);
static_assert(Traits::is_always_equal::value);
static_assert(std::is_nothrow_move_assignable_v<Array<float>> && std::is_nothrow_swappable_v<Array<float>>);

struct alignas(64) Aligned {
  float values[16];
};

template <class T>
class ArrayOf : public testing::Test {};
using Types = testing::Types<std::uint8_t, float, double, Aligned>;
TYPED_TEST_SUITE(ArrayOf, Types);

TYPED_TEST(ArrayOf, AnySizeIsAllocatedAndAligned) {
  constexpr std::size_t large = k_large_bytes / sizeof(TypeParam);
  for (const std::size_t count : {std::size_t{1}, std::size_t{7}, large - 1, large, large + 1, 3 * large + 5}) {
    DefaultInitAllocator<TypeParam> allocator;
    TypeParam* const memory = allocator.allocate(count);
    const std::size_t alignment = count >= large ? std::size_t{2} << 20 : alignof(TypeParam);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0) << count;
    ::new (memory) TypeParam{};
    ::new (memory + count - 1) TypeParam{};
    allocator.deallocate(memory, count);
  }
}

TYPED_TEST(ArrayOf, ASizeThatOverflowsIsRefused) {
  DefaultInitAllocator<TypeParam> allocator;
  constexpr std::size_t maximum = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(TypeParam);
  constexpr std::size_t no_size = std::numeric_limits<std::size_t>::max();
  const std::size_t wraps =
      no_size / sizeof(TypeParam) + (sizeof(TypeParam) > 1 ? 2 : 0);  // to the size of one element
  for (const std::size_t count : {maximum + 1, wraps, no_size})
    EXPECT_THROW(static_cast<void>(allocator.allocate(count)), std::bad_array_new_length) << count;
}

TEST(ArrayTest, GrowsAndMovesAcrossTheLargeSize) {
  Array<int> numbers;
  constexpr int count = 3 * k_large_bytes / sizeof(int);
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  Array<int> moved;
  moved = std::move(numbers);
  ASSERT_EQ(moved.size(), count);
  for (int i = 0; i < count; ++i) ASSERT_EQ(moved[i], i);
}

TEST(ArrayTest, ResizeWritesNothingToNumbersAndConstructsTheRest) {
  Array<unsigned char> bytes(1000, 7);
  bytes.clear();
  bytes.resize(1000);
  EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), 0), 7000);
  Array<std::string> texts(3);
  EXPECT_EQ(texts, Array<std::string>({"", "", ""}));
}

}  // namespace
}  // namespace kann
