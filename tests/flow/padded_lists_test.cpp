// Lists as rows of one length: every neighbour once, in its place, in blocks that are not too large.
#include "flow/rows/padded_lists.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <variant>

#include "kann/neighbors.hpp"

#include "clouds.hpp"

namespace kann::test {
namespace {

NeighborLists random_lists(std::int64_t queries, std::uint64_t most, std::uint64_t seed) {
  Random random(seed);
  NeighborLists lists;
  lists.begins.push_back(0);
  for (std::int64_t q = 0; q < queries; ++q) {
    const std::uint64_t length = random.below(5) == 0 ? random.below(10 * most + 1) : random.below(most + 1);
    for (std::uint64_t i = 0; i < length; ++i) {
      lists.ids.push_back(static_cast<std::int32_t>(random.below(1000)));
      lists.distances.push_back(static_cast<float>(random.uniform()));
    }
    lists.begins.push_back(std::ssize(lists.ids));
  }
  return lists;
}

/// The same lists, `step` at a time.
ListBlocks lists_in_parts(const NeighborLists& lists, std::int64_t step) {
  ListBlocks blocks = one_block(lists, 1000);
  blocks.for_each = [&lists, step](const ListBlocks::Sink& sink) {
    for (std::int64_t first = 0; first < lists.queries(); first += step) {
      const std::int64_t last = std::min(first + step, lists.queries());
      const auto begins =
          std::span(lists.begins).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1));
      const auto from = static_cast<std::size_t>(begins.front()),
                 count = static_cast<std::size_t>(begins.back()) - from;
      sink({first, last - first, 0, begins, std::span(lists.ids).subspan(from, count),
            std::span(lists.distances).subspan(from, count)});
    }
  };
  return blocks;
}

TEST(PaddedLists, HaveEveryListInItsRow) {
  for (const std::int64_t queries : {0, 1, 2, 7, 100, 257})
    for (const std::uint64_t longest : {0, 1, 5, 40})
      for (const std::int64_t most : {1, 16, 300, 100'000})
        for (const std::int64_t step : {1, 10, 1000}) {
          const NeighborLists lists = random_lists(queries, longest, 3);
          const flow::PaddedLists padded(lists_in_parts(lists, step), most);
          std::int64_t next = 0, blocks = 0;
          padded.for_each([&](const Rows& rows) {
            const auto& [first, count, k, begins, all_ids, distances] = rows;
            ASSERT_EQ(first, next);
            ASSERT_GE(k, 1);
            ASSERT_EQ(count * k, std::ssize(distances));
            ASSERT_TRUE(count * k <= most || count == 1);
            ASSERT_LE(count * k, padded.most());
            const auto& ids = std::get<std::span<const std::int32_t>>(all_ids);
            for (std::int64_t i = 0; i < count * k; ++i) {
              const auto row = static_cast<std::size_t>(first + i / k), at = static_cast<std::size_t>(i);
              const std::int64_t place = lists.begins[row] + i % k;
              const bool is_there = place < lists.begins[row + 1];
              ASSERT_EQ(ids[at], is_there ? lists.ids[static_cast<std::size_t>(place)] : k_missing_id);
              ASSERT_EQ(distances[at], is_there ? lists.distances[static_cast<std::size_t>(place)] : k_infinity);
            }
            for (std::int64_t row = first; row < first + count; ++row)
              ASSERT_LE(lists.begins[static_cast<std::size_t>(row + 1)] - lists.begins[static_cast<std::size_t>(row)],
                        k);
            next = first + count;
            ++blocks;
          });
          EXPECT_EQ(next, queries);
          EXPECT_EQ(blocks, padded.blocks());
        }
}

}  // namespace
}  // namespace kann::test
