#include "common/recall.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace kann::bench {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

/// One query of k neighbours.
Neighbors row(Array<std::int32_t> ids, Array<float> distances) {
  const auto k = static_cast<std::int64_t>(ids.size());
  return {1, k, std::move(ids), std::move(distances)};
}

TEST(Recall, CountsTiesAndNotRepetitions) {
  const Neighbors exact = row({5, 6, 7, 8}, {1, 2, 3, 4});
  EXPECT_EQ(recall_against(exact, exact), 1);
  EXPECT_EQ(recall_against(row({5, 6, 7, 9}, {1, 2, 3, 4}), exact), 1);      // as far as the exact one
  EXPECT_EQ(recall_against(row({5, 6, 7, 10}, {1, 2, 3, 5}), exact), 0.75);  // too far
  EXPECT_EQ(recall_against(row({5, 5, 6, 7}, {1, 1, 2, 3}), exact), 0.75);   // one id twice
  EXPECT_EQ(recall_against(row({5, 7}, {1, 3}), exact), 0.5);                // judged by the exact second neighbour
}

TEST(Recall, ExpectsNoMissingNeighbours) {
  const Neighbors exact = row({5, k_missing_id}, {1, inf});
  EXPECT_EQ(recall_against(exact, exact), 1);
  EXPECT_EQ(recall_against(row({k_missing_id, k_missing_id}, {inf, inf}), exact), 0);
}

TEST(Recall, PrefixIsByteForByte) {
  const Neighbors exact = row({5, 6}, {1, 2});
  EXPECT_TRUE(is_prefix(row({5}, {1}), exact));
  EXPECT_FALSE(is_prefix(row({6}, {1}), exact));
  EXPECT_FALSE(is_same(row({5, 6}, {1, 2.5f}), exact));
}

TEST(Recall, APrefixMayHaveAnotherNeighbourOfItsLastDistance) {
  const Neighbors exact = row({5, 6, 7}, {1, 2, 2});
  EXPECT_TRUE(is_prefix(row({5, 7}, {1, 2}), exact));
  EXPECT_FALSE(is_prefix(row({8, 7}, {1, 2}), exact));
  EXPECT_FALSE(is_same(row({5, 7, 6}, {1, 2, 2}), exact));
}

TEST(Recall, NearAllowsForRounding) {
  EXPECT_TRUE(is_near(row({5, k_missing_id}, {1, inf}), row({6, k_missing_id}, {1.000001f, inf})));
  EXPECT_FALSE(is_near(row({5}, {1}), row({5}, {1.001f})));
  EXPECT_FALSE(is_near(row({5}, {1}), row({k_missing_id}, {inf})));
  EXPECT_FALSE(is_near(row({k_missing_id}, {inf}), row({5}, {1})));
}

}  // namespace
}  // namespace kann::bench
