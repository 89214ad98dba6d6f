#include "flow/ranks/shares.hpp"

#include <gtest/gtest.h>

namespace kann::flow {
namespace {

TEST(Shares, FollowEachOtherAndAreAsEqualAsCanBe) {
  for (const int ranks : {1, 2, 3, 7, 64})
    for (const std::int64_t count : {0, 1, 2, 6, 7, 8, 63, 64, 65, 1000}) {
      EXPECT_EQ(share_begin(count, ranks, 0), 0);
      EXPECT_EQ(share_begin(count, ranks, ranks), count);
      for (int rank = 0; rank < ranks; ++rank) {
        const std::int64_t begin = share_begin(count, ranks, rank), end = share_begin(count, ranks, rank + 1);
        EXPECT_TRUE(end - begin == count / ranks || end - begin == count / ranks + 1);
        for (std::int64_t i = begin; i < end; ++i) EXPECT_EQ(share_owner(count, ranks, i), rank);
      }
    }
}

TEST(Shares, TakeCountsOfAnySize) {
  const std::int64_t count = 9'000'000'000'000'000'001;
  EXPECT_EQ(share_begin(count, 1 << 20, 1 << 20), count);
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{12345678901234}, count - 1}) {
    const int owner = share_owner(count, 1 << 20, i);
    EXPECT_LE(share_begin(count, 1 << 20, owner), i);
    EXPECT_GT(share_begin(count, 1 << 20, owner + 1), i);
  }
}

}  // namespace
}  // namespace kann::flow
