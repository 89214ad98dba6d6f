// Lists with the points that they name, from files: every neighbour once, in blocks that are not too large.
#include "flow/rows/found.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <variant>

#include "kann/neighbors.hpp"
#include "kann/radius.hpp"

#include "clouds.hpp"

namespace kann::test {
namespace {

constexpr std::int64_t k_data = 1000;

NeighborLists random_lists(std::int64_t queries, std::uint64_t most, std::uint64_t seed) {
  Random random(seed);
  NeighborLists lists;
  lists.begins.push_back(0);
  for (std::int64_t q = 0; q < queries; ++q) {
    const std::uint64_t length = random.below(5) == 0 ? random.below(10 * most + 1) : random.below(most + 1);
    for (std::uint64_t i = 0; i < length; ++i) {
      lists.ids.push_back(static_cast<std::int32_t>(random.below(k_data)));
      lists.distances.push_back(static_cast<float>(random.uniform()));
    }
    lists.begins.push_back(std::ssize(lists.ids));
  }
  return lists;
}

/// The same lists, `step` at a time.
RowBlocks lists_in_parts(const NeighborLists& lists, std::int64_t step) {
  RowBlocks blocks = one_block(lists, k_data);
  blocks.for_each = [&lists, step](const RowBlocks::Sink& sink) {
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

/// Points whose coordinates are their numbers.
class NumberedSource final : public flow::CloudSource {
 public:
  explicit NumberedSource(std::int64_t size) : size_(size) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return 2; }
  bool is_float64() const override { return true; }
  std::int64_t size() const override { return size_; }
  void for_each_block(std::int64_t, std::int64_t, std::int64_t, const Block&) const override {}
  const Cloud& described() const override { return described_; }
  Cloud read(std::int64_t first, std::int64_t count) const override {
    Array<double> numbers;
    for (std::int64_t i = first; i < first + count; ++i) numbers.insert(numbers.end(), 2, static_cast<double>(i));
    return {.points = {2, std::move(numbers)}};
  }
  std::uint64_t hash() const override { return 0; }

 private:
  const std::int64_t size_;
  const std::string name_ = "numbers";
  const Cloud described_ = {.points = {2, Array<double>()}};
};

/// Checks the lists of one block: they begin with that of query number `next`.
void expect_lists(const flow::FoundBlock& block, const NeighborLists& lists, std::int64_t next) {
  ASSERT_EQ(block.rows.first, next);
  ASSERT_EQ(block.neighbors.first, next);
  ASSERT_EQ(block.neighbors.count, block.rows.count);
  ASSERT_EQ(block.queries.points.size(), block.rows.count);
  for (std::int64_t row = 0; row < block.rows.count; ++row) {
    const auto [begin, end] = block.neighbors.row(row);
    ASSERT_EQ(block.rows.row(row), std::pair(begin, end));
    const auto from = static_cast<std::size_t>(lists.begins[static_cast<std::size_t>(next + row)]);
    ASSERT_EQ(from + end - begin, static_cast<std::size_t>(lists.begins[static_cast<std::size_t>(next + row + 1)]));
    ASSERT_EQ(block.queries.points.at(row, 0), static_cast<double>(next + row));
    for (std::size_t i = begin; i < end; ++i) {
      ASSERT_EQ(block.rows.id(i), lists.ids[from + i - begin]);
      ASSERT_EQ(block.data.points.at(block.neighbors.id(i), 1), static_cast<double>(block.rows.id(i)));
      ASSERT_EQ(block.neighbors.distances[i], lists.distances[from + i - begin]);
    }
  }
}

TEST(FoundInFiles, HasEveryListWithItsPoints) {
  for (const std::int64_t queries : {0, 1, 2, 7, 100, 257})
    for (const std::uint64_t longest : {0, 1, 5, 40})
      for (const std::int64_t most : {1, 16, 300, 100'000})
        for (const std::int64_t step : {1, 10, 1000}) {
          const NeighborLists lists = random_lists(queries, longest, 3);
          const NumberedSource data(k_data), asked(queries);
          base::MemoryBudget memory;
          const flow::Found found(lists_in_parts(lists, step), {data, asked, {}, memory, 2, most});
          for (int pass = 0; pass < 2; ++pass) {
            std::int64_t next = 0, number = 0;
            found.for_each({.queries = true, .data = true}, [&](const flow::FoundBlock& block) {
              ASSERT_EQ(block.number, number++);
              ASSERT_TRUE(std::ssize(block.rows.distances) <= most || block.rows.count == 1);
              ASSERT_NO_FATAL_FAILURE(expect_lists(block, lists, next));
              next += block.rows.count;
            });
            EXPECT_EQ(next, queries);
            EXPECT_GE(number, 1);
          }
        }
}

}  // namespace
}  // namespace kann::test
