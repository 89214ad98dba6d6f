// Which method and parameters a search has where options leave them open.
#include "problem/parameters.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"
#include "problem/prepare.hpp"

namespace kann::problem {
namespace {

Problem chosen(const SearchOptions& options, int dimensions) {
  Problem p;
  p.dimensions = dimensions;
  choose_parameters(options, p);
  return p;
}

SearchOptions options_of(std::int64_t k) {
  SearchOptions options;
  options.k = k;
  return options;
}

TEST(DefaultMethod, IsExactWhereThatIsNoSlower) {
  for (const std::int64_t k : {1, 4, 5, 8, 9, 16, 17, 32, 33, 1000}) {
    EXPECT_EQ(chosen(options_of(k), 3).method, k <= 4 || k > 16 ? Method::exact : Method::shifted_sort) << k;
    EXPECT_EQ(chosen(options_of(k), 2).method, k <= 8 || k > 16 ? Method::exact : Method::shifted_sort) << k;
  }
}

TEST(DefaultMethod, IsThatOfTheOptions) {
  for (const Method method : {Method::exact, Method::shifted_sort})
    for (const std::int64_t k : {1, 8, 100})
      for (const int d : {2, 3}) {
        SearchOptions options = options_of(k);
        options.method = method;
        EXPECT_EQ(chosen(options, d).method, method);
      }
}

TEST(DefaultMethod, OptionsOfTheShiftedSortBringIt) {
  for (const std::int64_t k : {1, 8, 100})
    for (const int d : {2, 3}) {
      SearchOptions options = options_of(k);
      options.shifts = 5;
      EXPECT_EQ(chosen(options, d).method, Method::shifted_sort);
      options = options_of(k);
      options.window = 40;
      EXPECT_EQ(chosen(options, d).method, Method::shifted_sort);
      options = options_of(k);
      options.bits = 30;
      EXPECT_EQ(chosen(options, d).method, Method::shifted_sort);
      options = options_of(k);
      options.pipeline = Pipeline::paper;
      EXPECT_EQ(chosen(options, d).method, Method::shifted_sort);
    }
}

TEST(DefaultWindow, GrowsWithK) {
  const auto window = [](std::int64_t k, int d) {
    SearchOptions options = options_of(k);
    options.method = Method::shifted_sort;
    return chosen(options, d).window;
  };
  EXPECT_EQ(window(1, 3), 12);
  EXPECT_EQ(window(8, 3), 20);
  EXPECT_EQ(window(16, 3), 38);
  EXPECT_EQ(window(32, 3), 74);
  EXPECT_EQ(window(1, 2), 12);
  EXPECT_EQ(window(16, 2), 24);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (const int d : {2, 3}) EXPECT_EQ(window(largest, d), largest);
}

TEST(SearchesDoubtful, UnlessTheWindowsAreAskedForAlone) {
  SearchOptions options = options_of(8);
  options.method = Method::exact;
  EXPECT_FALSE(chosen(options, 3).searches_doubtful);
  EXPECT_TRUE(chosen(options_of(8), 3).searches_doubtful);
  options = options_of(8);
  options.shifts = 5;
  EXPECT_TRUE(chosen(options, 3).searches_doubtful);
  options.bits = 63;
  EXPECT_TRUE(chosen(options, 3).searches_doubtful);
  options.bits = 62;
  EXPECT_FALSE(chosen(options, 3).searches_doubtful);
  options.bits = {};
  options.window = 20;
  EXPECT_FALSE(chosen(options, 3).searches_doubtful);
  options = options_of(8);
  options.pipeline = Pipeline::paper;
  EXPECT_FALSE(chosen(options, 3).searches_doubtful);
}

Problem with_grid(std::int64_t k, int shifts, bool drop_self) {
  Problem p;
  p.k = k;
  p.shifts = shifts;
  p.drop_self = drop_self;
  p.grid.inv = 0x1p10f;
  p.unit = 4;
  return p;
}

TEST(DoubtRules, ReachIsInTheFrame) {
  EXPECT_EQ(doubt_rules(with_grid(7, 3, false), 0).reach, 0x1p-20f);
  EXPECT_EQ(doubt_rules(with_grid(8, 3, false), 0).reach, 0x1p-20f);
  EXPECT_EQ(doubt_rules(with_grid(8, 3, false), 0).diagonal, 6 * 0x1p-20f);
  EXPECT_EQ(doubt_rules(with_grid(7, 3, false), 0).ratio, 1.5f);
  EXPECT_EQ(doubt_rules(with_grid(8, 3, false), 0).ratio, 1.35f);
  Problem identical = with_grid(8, 3, false);
  identical.grid.inv = 0;
  EXPECT_EQ(doubt_rules(identical, 0).reach, std::numeric_limits<float>::infinity());
}

TEST(DoubtRules, CoarseIsFortyRoundingsOrWhatUnderflows) {
  EXPECT_EQ(doubt_rules(with_grid(8, 3, false), 0).coarse, 0x1p-100f);
  EXPECT_EQ(doubt_rules(with_grid(8, 3, false), 0).blurred, -1);
  EXPECT_EQ(doubt_rules(with_grid(8, 3, false), 0.5).blurred, 2500);
  EXPECT_EQ(doubt_rules(with_grid(8, 3, false), 0.5).coarse, 25);  // 40 · 0.5 of the input, 5 of the frame
}

TEST(DoubtRules, SeenGrowsWithKAndShiftsAndTheQueryItself) {
  const auto seen = [](std::int64_t k, int shifts, bool drop_self) {
    return doubt_rules(with_grid(k, shifts, drop_self), 0).seen;
  };
  EXPECT_EQ(seen(1, 3, false), 0);
  EXPECT_EQ(seen(6, 3, false), 2);
  EXPECT_EQ(seen(7, 3, false), 3);
  EXPECT_EQ(seen(8, 3, false), 3);
  EXPECT_EQ(seen(16, 3, false), 7);
  EXPECT_EQ(seen(32, 3, false), 14);
  EXPECT_EQ(seen(32, 5, false), 28);
  EXPECT_EQ(seen(8, 3, true), 5);
  EXPECT_EQ(seen(8, 5, true), 10);
  EXPECT_EQ(seen(8, 1, false), -1);
  EXPECT_EQ(seen(8, 1, true), -1);
}

TEST(ListSizes, OfTheShiftedSortHaveEightNeighboursToJudge) {
  Problem p;
  p.data_count = 100;
  p.k = 3;
  EXPECT_EQ(p.shifted_list_size(), 3);
  p.searches_doubtful = true;
  EXPECT_EQ(p.shifted_list_size(), 8);
  EXPECT_EQ(p.list_size(), 3);
  p.data_count = 5;
  EXPECT_EQ(p.shifted_list_size(), 5);
  p.data_count = 100;
  p.k = 200;
  EXPECT_EQ(p.shifted_list_size(), 100);
}

/// The sample, and that prepare() has set what the rules are made of.
TEST(Prepare, SamplesApproximateSearches) {
  SearchOptions options = options_of(8);
  const Points cloud = test::to_points(test::uniform(3000, 3, 1), 3), few = test::to_points(test::uniform(9, 3, 2), 3);
  const Prepared own = prepare(cloud, {}, options), separate = prepare(cloud, few, options);
  EXPECT_EQ(own.problem.sample.size(), 1024u);
  EXPECT_EQ(separate.problem.sample.size(), 9u);
  EXPECT_EQ(own.problem.doubt.seen, 5);
  EXPECT_EQ(separate.problem.doubt.seen, 3);
  const float cell = 1 / own.problem.grid.inv;
  EXPECT_FLOAT_EQ(own.problem.doubt.reach, cell * cell);
  options.window = 20;
  EXPECT_EQ(prepare(cloud, {}, options).problem.sample.size(), 1024u);
  options = options_of(8);
  options.method = Method::exact;
  EXPECT_TRUE(prepare(cloud, {}, options).problem.sample.empty());
}

}  // namespace
}  // namespace kann::problem
