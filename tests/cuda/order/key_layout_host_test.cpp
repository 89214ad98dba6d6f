// The layout of packed keys, at all sizes: every index fits, and the code gets as many bits as the word has left.
#include <gtest/gtest.h>
#include <vector>

#include "cuda/order/key_layout.hpp"

namespace kann::cuda {
namespace {

std::vector<std::int64_t> counts() {
  std::vector<std::int64_t> all = {0, 1};
  for (int n = 1; n <= 32; ++n)
    for (const int step : {-1, 0, 1}) all.push_back((std::int64_t{1} << n) + step);
  return all;
}

void expect_valid(const KeyLayout& layout, std::int64_t count, int bits, int unused, int prefix, int sorted) {
  // The payload: as few bits as the largest index needs, and at least one
  const std::int64_t indices = std::int64_t{1} << layout.payload_bits;
  ASSERT_GE(layout.payload_bits, 1);
  ASSERT_GE(indices, count);
  if (layout.payload_bits > 1) {
    ASSERT_LT(indices / 2, count);
  }

  // The prefix: all compared bits, or as many as are wanted, or as many as the word has left
  ASSERT_LE(layout.payload_bits + layout.prefix_bits, 64);
  ASSERT_TRUE(layout.prefix_bits == bits || layout.prefix_bits == unused + prefix ||
              layout.payload_bits + layout.prefix_bits == 64);
  ASSERT_LE(layout.prefix_bits, bits);
  ASSERT_LE(layout.prefix_bits, unused + prefix);
  ASSERT_EQ(layout.rest_bits, bits - layout.prefix_bits);

  // Sorted bits: at least one, and none of the payload's
  ASSERT_TRUE(layout.unused_bits == unused || layout.unused_bits == layout.prefix_bits - 1);
  ASSERT_GE(layout.sorted_bits, 1);
  ASSERT_LE(layout.sorted_bits, sorted);
  ASSERT_EQ(layout.key_bits(), layout.payload_bits + layout.prefix_bits - layout.unused_bits);
  ASSERT_EQ(layout.first_sorted_bit(), layout.key_bits() - layout.sorted_bits);
  ASSERT_GE(layout.first_sorted_bit(), layout.payload_bits);
  ASSERT_EQ(layout.sorts_prefix(), layout.sorted_bits == layout.prefix_bits - layout.unused_bits);
  ASSERT_TRUE(layout.sorts_prefix() || layout.sorted_bits == sorted);
}

TEST(KeyLayoutHost, HoldsEveryIndexAndAsManyBitsOfTheCodeAsFit) {
  for (const std::int64_t count : counts())
    for (int bits = 1; bits <= 63; ++bits)
      for (const int unused : {0, 2, 3})
        for (const int prefix : {32, 40})
          for (const int sorted : {32, 40}) {
            const KeyLayout layout = key_layout(count, bits, unused, prefix, sorted);
            ASSERT_NO_FATAL_FAILURE(expect_valid(layout, count, bits, unused, prefix, sorted))
                << count << " points, " << bits << " bits, " << unused << " unused, " << prefix << " " << sorted;
          }
}

TEST(KeyLayoutHost, OfTwoToThe23PointsInShift0) {
  const KeyLayout layout = key_layout(1 << 23, 63, 3, 40, 40);
  EXPECT_EQ(layout.payload_bits, 23);
  EXPECT_EQ(layout.prefix_bits, 41);  // all that the word has left
  EXPECT_EQ(layout.unused_bits, 3);
  EXPECT_EQ(layout.sorted_bits, 38);
  EXPECT_EQ(layout.rest_bits, 22);
  EXPECT_EQ(layout.key_bits(), 61);
  EXPECT_EQ(layout.first_sorted_bit(), 23);
  EXPECT_TRUE(layout.sorts_prefix());
}

TEST(KeyLayoutHost, CoarseBitsLeaveTheRestOfThePrefixUnsorted) {
  const KeyLayout layout = key_layout(1 << 23, 63, 0, 40, 32);
  EXPECT_EQ(layout.prefix_bits, 40);
  EXPECT_EQ(layout.first_sorted_bit(), 23 + 8);
  EXPECT_FALSE(layout.sorts_prefix());
}

}  // namespace
}  // namespace kann::cuda
