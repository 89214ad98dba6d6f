// What a pass over lists gives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <span>
#include <variant>
#include <vector>

#include "kann/radius.hpp"

namespace kann::test {

struct Lists {
  std::vector<std::int64_t> begins, ids;
  std::vector<float> distances;

  bool operator==(const Lists&) const = default;
};

/// Appends what a pass over lists gives. Blocks have to follow each other.
inline Lists taken(const RowBlocks& blocks) {
  Lists lists;
  blocks.lists->for_each_begins(
      [&](std::span<const std::int64_t> some) { lists.begins.insert(lists.begins.end(), some.begin(), some.end()); });
  std::int64_t next = 0;
  blocks.for_each([&](const Rows& block) {
    EXPECT_EQ(block.first, next);
    EXPECT_EQ(block.count, std::ssize(block.begins) - 1);
    next += block.count;
    EXPECT_TRUE(std::ranges::equal(
        block.begins, std::span(lists.begins).subspan(static_cast<std::size_t>(block.first), block.begins.size())));
    std::visit([&](const auto& ids) { lists.ids.insert(lists.ids.end(), ids.begin(), ids.end()); }, block.ids);
    lists.distances.insert(lists.distances.end(), block.distances.begin(), block.distances.end());
  });
  EXPECT_EQ(next, blocks.queries);
  EXPECT_EQ(lists.begins.back(), blocks.lists->neighbors);
  return lists;
}

}  // namespace kann::test
