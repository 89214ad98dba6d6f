// What searches from files refuse, in the words of a search in memory, and how they end early.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clouds.hpp"
#include "file_searches.hpp"
#include "flow/routes/ball_queries.hpp"
#include "flow/routes/tile_store.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

/// The case is refused in every way as it is in memory. Returns the message.
std::string message_in_every_way(FileSearchCase c) {
  const ErrorKind kind = ErrorKind::bad_input;
  const std::string want = refusal_of(kind, [&] { in_memory(c); });
  base::MemoryBudget memory;
  EXPECT_EQ(refusal_of(kind, [&] { flow::in_pieces(c.data, c.asked(), c.options(memory), [](auto, const auto&) {}); }),
            want);
  for (const int ranks : {1, 3}) {
    c.ranks = {ranks};
    const auto by_ranks = [&](flow::Finds finds, const auto& search) {
      return refusal_of(kind, [&] { c.by_ranks(finds, search); });
    };
    EXPECT_EQ(by_ranks(flow::Finds::rows,
                       [&](const auto& options, flow::Communicator& own, const auto&) {
                         flow::in_tiles({c.data, c.asked(), options, own}, own);
                       }),
              want);
    EXPECT_EQ(by_ranks(flow::Finds::lists,
                       [&](const auto& options, flow::Communicator& own, const auto&) {
                         flow::lists_in_tiles({c.data, c.asked(), options, own}, {}, own);
                       }),
              want);
    if (c.queries) continue;
    EXPECT_EQ(by_ranks(flow::Finds::clusters,
                       [&](const auto& options, flow::Communicator& own, const auto&) {
                         flow::clusters_in_tiles({c.data, nullptr, options, own}, 2, own);
                       }),
              want);
  }
  return want;
}

TEST(FileRefusals, OfPointsThatAreNotFinite) {
  Coordinates c = uniform(700, 3, 6), q = uniform(650, 3, 7);
  c[2000] = k_nan;
  for (std::size_t i = 100; i < 270; ++i) q[7 * i] = k_infinity;
  const MemorySource data(3, c), queries(3, q), valid(3, uniform(400, 3, 8));
  const auto message = [](const MemorySource& points, const std::optional<MemorySource>& asked) {
    return message_in_every_way({.name = "invalid", .data = points, .queries = asked, .search = on_cpu(4, .1)});
  };
  const std::string want = "cloud: 1 of 700 points have NaN or infinite coordinates (first: 666); use --invalid skip";
  EXPECT_EQ(message(data, {}), want);
  EXPECT_EQ(message(data, valid), want);
  EXPECT_EQ(message(data, queries), want);
  EXPECT_EQ(message(valid, queries),
            "cloud: 170 of 650 points have NaN or infinite coordinates (first: 233); use --invalid skip");
  EXPECT_EQ(message(valid, valid), "");
}

/// No tile is as wide, and no query goes from one clump to the other.
TEST(FileRefusals, OfCloudsThatAreTooWide) {
  Random r(7);
  Doubles near, both;
  for (int i = 0; i < 600; ++i) near.push_back(r.uniform());
  both = near;
  for (int i = 0; i < 600; ++i) both.push_back(1e160 + 1e150 * r.uniform());
  const MemorySource narrow(3, near), wide(3, both);
  const auto message = [](const MemorySource& data, const std::optional<MemorySource>& queries) {
    return message_in_every_way({.name = "wide", .data = data, .queries = queries, .search = on_cpu(1, .01)});
  };
  const std::string too_wide = ": wider than squared distances in float64 can be (10^153); scale down the coordinates";
  EXPECT_EQ(message(wide, {}), "cloud" + too_wide);
  EXPECT_EQ(message(narrow, wide), "cloud and cloud" + too_wide);
  EXPECT_EQ(message(wide, narrow), "cloud and cloud" + too_wide);
  EXPECT_EQ(message(narrow, narrow), "");
  // Two queries may be too far apart for each other, though each is near enough to the data
  const double far = 0x1p509;
  const MemorySource few(2, Doubles{0, 0, 1, 1}), apart(2, Doubles{-.9 * far, 0, .9 * far, 0, 1.2 * far, 0});
  EXPECT_EQ(message_in_every_way(
                {.name = "apart", .data = few, .queries = apart, .search = on_cpu(1, .1), .piece_queries = 1}),
            "cloud and cloud" + too_wide);
}

/// Has a point less the second time.
class ChangingSource : public MemorySource {
 public:
  explicit ChangingSource(const MemorySource& source) : MemorySource(source) {}
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    const bool is_changed = reads_++ > 0;
    MemorySource::for_each_block(begin, end, most, [&](std::int64_t row, const PointsView& points) {
      Coordinates c;
      for (std::int64_t i = 0; i < points.size(); ++i)
        for (int a = 0; a < 3; ++a) c.push_back(static_cast<float>(points.at(i, a)));
      if (is_changed && row == 0) c[0] = k_nan;
      f(row, {3, std::span<const float>(c)});
    });
  }

 private:
  mutable int reads_ = 0;
};

/// A case whose options are used with other sources.
FileSearchCase case_of(const Coordinates& c, const SearchOptions& search) {
  return {.name = "case", .data = {3, c}, .queries = {}, .search = search};
}

TEST(FileRefusals, OfDataThatChange) {
  const FileSearchCase c = case_of(uniform(300, 3, 8), on_cpu(4));
  const ChangingSource data(c.data);
  base::MemoryBudget memory;
  flow::Alone alone;
  EXPECT_EQ(refusal_of(ErrorKind::bad_input,
                       [&] {
                         flow::in_tiles({data, nullptr, c.options(memory), alone}, alone);
                       }),
            "cloud: changed while it was read");
}

TEST(InPieces, EndWithTheErrorOfWhoTakesTheRows) {
  const FileSearchCase c = case_of(uniform(1000, 3, 7), on_cpu(3));
  base::MemoryBudget memory;
  int calls = 0;
  EXPECT_EQ(refusal_of(ErrorKind::resources,
                       [&] {
                         flow::in_pieces(c.data, nullptr, c.options(memory), [&](std::int64_t, const Neighbors&) {
                           if (++calls == 3) throw Error(ErrorKind::resources, "full");
                         });
                       }),
            "full");
  EXPECT_EQ(calls, 3);
}

TEST(InPieces, SayHowFarTheyAre) {
  const FileSearchCase c = case_of(uniform(950, 3, 7), on_cpu(3));
  base::MemoryBudget memory;
  flow::FileSearchOptions options = c.options(memory);
  std::vector<double> fractions;
  options.search.on_progress = [&](std::string_view, double fraction) { fractions.push_back(fraction); };
  EXPECT_EQ(flow::in_pieces(c.data, nullptr, options, [](std::int64_t, const Neighbors&) {}).pieces, 10);
  EXPECT_EQ(std::ssize(fractions), 10);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_EQ(fractions.back(), 1);
}

/// What the caller refuses when the neighbours are counted is not listed.
TEST(ListsInTiles, StopWhenThereIsNoRoom) {
  FileSearchCase c = case_of(uniform(500, 3, 6), on_cpu(1, 1e9));
  for (const int count : {1, 3}) {
    c.ranks = {count};
    const auto refuse = [](const flow::CountedLists& counted) {
      throw Error(ErrorKind::resources, std::to_string(counted.neighbors) + " are too many");
    };
    EXPECT_EQ(refusal_of(ErrorKind::resources,
                         [&] {
                           c.by_ranks(
                               flow::Finds::lists, [&](const auto& options, flow::Communicator& own, const auto&) {
                                 flow::lists_in_tiles({c.data, nullptr, options, own}, {false, false, refuse}, own);
                               });
                         }),
              "249500 are too many");
  }
}

/// With a large radius, queries go to all tiles: nothing is written where the disk does not hold them.
TEST(BallQueries, RefuseWhatTheDiskDoesNotHold) {
  const FileSearchCase c = case_of(uniform(500, 3, 6), on_cpu(1, 1e9));
  const MemorySource queries(3, uniform(200, 3, 7));
  base::MemoryBudget memory;
  const flow::FileSearchOptions options = c.options(memory, flow::Finds::lists);
  const flow::Ball ball{.radius = 1e9, .sq_bound = 1e18, .images = nullptr};
  flow::Alone alone;
  for (const bool is_self : {true, false}) {
    flow::TileStore<float> store(c.data, is_self ? nullptr : &queries, options, alone);
    flow::BallQueries<float> asked(store, ball, options, alone);
    std::int64_t seen = 0;
    const auto see = [&](std::span<const std::int64_t> numbers) { seen += std::ssize(numbers); };
    const std::string message = refusal_of(ErrorKind::resources, [&] { asked.send(is_self, 1e20, see); });
    EXPECT_TRUE(message.starts_with(options.folder + ": temporary files need at least ")) << message;
    EXPECT_TRUE(message.ends_with(" are free; --temp-folder takes another folder")) << message;
    EXPECT_EQ(seen, 0);
    for (std::size_t tile = 0; tile < store.size(); ++tile) EXPECT_FALSE(asked.has(tile));
    asked.send(is_self, 1, see);
    EXPECT_EQ(seen, is_self ? 500 : 200);
    for (std::size_t tile = 0; tile < store.size(); ++tile) EXPECT_TRUE(asked.has(tile));
  }
}

/// A list that is longer than what is held at a time needs memory of its own.
TEST(ListsInTiles, RefuseAListThatDoesNotFit) {
  const FileSearchCase c = case_of(identical(300, 3, 1), on_cpu(1, 0));
  for (const double limit : {1e9, 1.}) {
    base::MemoryBudget memory(limit);
    flow::Alone alone;
    flow::FileSearchOptions options = c.options(memory, flow::Finds::lists);
    options.sizes.listed = options.sizes.merged = 90;
    const flow::FileLists found = flow::lists_in_tiles({c.data, nullptr, options, alone}, {}, alone);
    EXPECT_EQ(found.neighbors, 300 * 299);
    EXPECT_EQ(
        refusal_of(ErrorKind::resources, [&] { EXPECT_EQ(std::ssize(taken(found.store->results()).ids), 300 * 299); }),
        limit == 1e9 ? ""
                     : "host memory: the list of query 0 has 299 neighbours and needs 7368 bytes, 0 bytes are "
                       "left; give more --max-memory, or a smaller --radius");
  }
}

}  // namespace
}  // namespace kann::test
