// What is found: rows and lists that are kept by blocks until they are written, and the points that they name.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"
#include "kann/radius.hpp"

#include "clouds.hpp"
#include "file_searches.hpp"
#include "flow/ranks/threads.hpp"
#include "flow/rows/found.hpp"
#include "flow/rows/list_counts.hpp"
#include "flow/rows/result_store.hpp"
#include "flow/sources/named_points.hpp"
#include "search/rows/candidates.hpp"

namespace kann::test {
namespace {

TEST(CandidateRows, OfImagesHaveTheNearestOfEachNeighbour) {
  const auto at = [](double sq_dist, std::int64_t id) { return detail::Candidate{sq_dist, id & 0xff, false}; };
  const auto missing = detail::Candidate::missing();
  std::vector<detail::Candidate> scratch, row = {at(1, 5), at(2, 6), at(3, 7)}, none = {missing, missing, missing};
  detail::merge_images(row, std::vector{at(.5, 7), at(2, 4), missing, at(.7, 7), at(9, 9), missing}, true, scratch);
  detail::merge_images(none, std::vector{at(4, 1), missing, missing}, false, scratch);
  const auto pairs = [](const std::vector<detail::Candidate>& of) {
    std::vector<std::pair<double, std::int64_t>> all;
    for (const detail::Candidate& n : of) all.emplace_back(n.sq_dist, n.id);
    return all;
  };
  using Row = std::vector<std::pair<double, std::int64_t>>;
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(pairs(row), (Row{{.5, 7}, {1, 5}, {2, 4}}));
  EXPECT_EQ(pairs(none), (Row{{4, 1}, {inf, -1}, {inf, -1}}));
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Data of more than 2³¹ points, of which these lists name some.
TEST(ResultStore, HoldsAndWritesWideIds) {
  constexpr std::int64_t far = std::int64_t{3} << 31;
  const std::vector<std::int64_t> queries{4, 1}, points{far + 2, far + 1, 7};
  NeighborLists found;
  found.begins = {0, 3, 4};
  found.ids = {0, 1, 2, 2};
  found.distances = {1, 1, 2, 0};
  base::MemoryBudget memory;
  const auto folder = std::filesystem::temp_directory_path();
  flow::run_on_threads(2, [&](flow::Communicator& ranks) {
    flow::ResultStore store(ranks, {.data_points = far + 9}, {0, 2, 3, 5}, {folder, 1000, 2, &memory}, 2);
    if (ranks.rank() == 1) store.add({queries, found, points});
    store.deliver();
    if (ranks.rank() > 0) return store.serve();
    const RowBlocks lists = store.results();
    const Taken want{{0, 0, 1, 1, 1, 4}, {7, far + 1, far + 2, 7}, {0, 1, 1, 2}};
    EXPECT_TRUE(taken(lists) == want);
    const auto written = [&](const char* name, NeighborFormat format) {
      const std::string path = folder / name;
      NeighborFile file(path, format, true);
      file.write(lists, 1, {"{}"});
      file.commit();
      const std::string bytes = content_of(path);
      std::filesystem::remove(path);
      return bytes;
    };
    EXPECT_EQ(written("kann_wide.csv", NeighborFormat::csv),
              "query,rank,id,distance\n1,0,7,0\n4,0,6442450945,1\n4,1,6442450946,1\n4,2,7,2\n");
    EXPECT_EQ(written("kann_wide.mtx", NeighborFormat::mtx),
              "%%MatrixMarket matrix coordinate real general\n5 6442450953 4\n2 8 0\n5 6442450946 1\n5 6442450947 1\n"
              "5 8 2\n");
    const std::string npz = written("kann_wide.npz", NeighborFormat::npz);
    const std::string ids(reinterpret_cast<const char*>(want.ids.data()), want.ids.size() * sizeof(std::int64_t));
    EXPECT_NE(npz.find("'<i8', 'fortran_order': False, 'shape': (4,)"), std::string::npos);
    EXPECT_NE(npz.find(ids), std::string::npos);
    store.end_service();
  });
}

/// No block has too many neighbours or queries, unless it is one group.
TEST(ListCounts, MakeBlocks) {
  flow::ListCounts counts(6);
  for (const auto& [query, neighbors] : {std::pair{0, 3}, {1, 3}, {2, 9}, {3, 0}, {4, 0}, {5, 1}})
    counts.add(query, neighbors);
  counts.add(1, -1);
  EXPECT_EQ(counts.total(), 15);
  EXPECT_EQ(counts.blocks(5, 10), (flow::BlockBegins{0, 2, 3, 6}));
  EXPECT_EQ(counts.blocks(5, 2), (flow::BlockBegins{0, 2, 3, 5, 6}));
  EXPECT_EQ(counts.blocks(100, 100), (flow::BlockBegins{0, 6}));
  EXPECT_EQ(flow::ListCounts(0).blocks(5, 5), (flow::BlockBegins{0}));
}

/// Points whose coordinates are their numbers, as is an attribute.
class NumberedCloud final : public flow::CloudSource {
 public:
  explicit NumberedCloud(std::int64_t size) : size_(size) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return 2; }
  bool is_float64() const override { return true; }
  std::int64_t size() const override { return size_; }
  void for_each_block(std::int64_t, std::int64_t, std::int64_t, const Block&) const override { FAIL(); }
  const Cloud& described() const override { return described_; }
  Cloud read(std::int64_t first, std::int64_t count) const override {
    ++reads;
    EXPECT_LE(first + count, size_);
    return cloud(first, count);
  }
  std::uint64_t hash() const override { return 0; }

  mutable int reads = 0;

 private:
  static Cloud cloud(std::int64_t first, std::int64_t count) {
    Array<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), first);
    Array<double> c;
    for (const std::int64_t number : numbers) c.insert(c.end(), 2, static_cast<double>(number));
    Cloud cloud{{2, std::move(c)}, {}};
    cloud.attributes.push_back({"number", std::move(numbers)});
    return cloud;
  }

  const std::int64_t size_;
  const std::string name_ = "numbered";
  const Cloud described_ = cloud(0, 0);
};

void expect_picked(const flow::NamedPoints& named, const std::vector<std::int64_t>& numbers) {
  const auto& got = std::get<Array<std::int64_t>>(named.cloud().attributes.at(0).values);
  const auto& coordinates = std::get<Array<double>>(named.cloud().points.coordinates);
  ASSERT_EQ(coordinates.size(), 2 * got.size());
  for (const std::int64_t number : numbers) {
    const auto place = static_cast<std::size_t>(named.place_of(number));
    ASSERT_LT(place, got.size());
    EXPECT_EQ(got[place], number);
    EXPECT_EQ(coordinates[2 * place], static_cast<double>(number));
  }
  EXPECT_TRUE(named.numbers().empty() || std::ranges::equal(named.numbers(), got));
}

TEST(NamedPoints, AreThePointsWithTheseNumbers) {
  Random r(3);
  for (const std::int64_t n : {1, 2, 63, 64, 65, 4097, 3'000'000})
    for (const std::int64_t count : {0, 1, 2, 100, 50'000}) {  // few are sorted, many are marked in a set
      const NumberedCloud data(n);
      flow::NamedPoints named(data, 0, 2);
      for (int time = 0; time < 2; ++time) {
        std::vector<std::int64_t> numbers;
        for (std::int64_t i = 0; i < count; ++i)
          numbers.push_back(static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(n))));
        if (count > 2) numbers[0] = 0, numbers[1] = n - 1;
        named.pick(numbers);
        EXPECT_EQ(named.cloud().points.size(), std::ssize(std::set(numbers.begin(), numbers.end())))
            << n << " " << count;
        expect_picked(named, numbers);
      }
    }
}

TEST(NamedPoints, AreAllReadOnceWhereThereAreNoMore) {
  const NumberedCloud data(1000);
  flow::NamedPoints named(data, 1000, 1);
  for (int time = 0; time < 3; ++time) {
    named.pick({5, 999, 0, 5});
    EXPECT_EQ(named.cloud().points.size(), 1000);
    EXPECT_TRUE(named.numbers().empty());
    expect_picked(named, {5, 999, 0});
  }
  EXPECT_EQ(data.reads, 1);
}

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

/// Checks the lists of one block: they begin with that of query number `next`.
void expect_block(const flow::FoundBlock& block, const NeighborLists& lists, std::int64_t next) {
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
          const NumberedCloud data(k_data), asked(queries);
          base::MemoryBudget memory;
          const flow::Found found(lists_in_parts(lists, step), {data, asked, {}, memory, 2, most});
          for (int pass = 0; pass < 2; ++pass) {
            std::int64_t next = 0, number = 0;
            found.for_each({.queries = true, .data = true}, [&](const flow::FoundBlock& block) {
              ASSERT_EQ(block.number, number++);
              ASSERT_TRUE(std::ssize(block.rows.distances) <= most || block.rows.count == 1);
              ASSERT_NO_FATAL_FAILURE(expect_block(block, lists, next));
              next += block.rows.count;
            });
            EXPECT_EQ(next, queries);
            EXPECT_GE(number, 1);
          }
        }
}

}  // namespace
}  // namespace kann::test
