// Rows that come in blocks are judged as measure_accuracy() judges them in memory, right and wrong ones, on the plane
// and in periodic boxes.
#include "flow/rows/sample_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/accuracy.hpp"

#include "clouds.hpp"
#include "file_searches.hpp"
#include "flow/rows/judge.hpp"
#include "part.hpp"
#include "products/accuracy/sample.hpp"
#include "products/accuracy/verdicts.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

SearchOptions skipping(std::int64_t k, Method method = Method::exact) {
  SearchOptions options = on_cpu(k);
  options.method = method;
  options.invalid = InvalidPoints::skip;
  return options;
}

AccuracyOptions options_of(const FileSearchCase& c) {
  AccuracyOptions options{.self_query = !c.queries,
                          .include_self = c.search.include_self,
                          .exact = c.search.method == Method::exact,
                          .radius = c.search.radius};
  options.periodic = c.search.periodic;
  options.images = c.search.images;
  options.threads = 2;
  return options;
}

std::int64_t invalid_points(const PointsView& points) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < points.size(); ++i) count += !points.is_finite(i);
  return count;
}

std::int64_t skipped(const FileSearchCase& c) { return invalid_points((c.queries ? *c.queries : c.data).view()); }

/// measure_sample() of rows that come in blocks.
Accuracy judged_in_blocks(const FileSearchCase& c, const Neighbors& rows, std::int64_t sample) {
  constexpr std::int64_t block_rows = 50;
  const RowBlocks in_blocks{rows.queries, rows.k, false, [&](const RowBlocks::Sink& sink) {
                              for (std::int64_t first = 0; first < rows.queries; first += block_rows) {
                                const std::int64_t count = std::min(block_rows, rows.queries - first);
                                const auto begin = static_cast<std::size_t>(first * rows.k),
                                           values = static_cast<std::size_t>(count * rows.k);
                                sink({first,
                                      count,
                                      rows.k,
                                      {},
                                      std::span(rows.ids).subspan(begin, values),
                                      std::span(rows.distances).subspan(begin, values)});
                              }
                            }};
  return flow::measure_sample({c.data, c.asked(), in_blocks, skipped(c), sample, nullptr, 400}, options_of(c));
}

/// Compares measure_sample() with measure_accuracy(), of all rows and of samples. Returns the latter, of all rows.
Accuracy expect_verdict(const FileSearchCase& c, const Neighbors& rows) {
  const Points &data = c.data.points(), &queries = c.queries ? c.queries->points() : data;
  const AccuracyOptions options = options_of(c);
  const Accuracy want = measure_accuracy(data, queries, rows, options);
  const Accuracy got = judged_in_blocks(c, rows, rows.queries);
  expect_same(got, want, c.name);  // only rows of the sample are checked: here, all

  Cloud data_cloud, query_cloud;
  data_cloud.points = data;
  query_cloud.points = queries;
  const flow::Found in_memory(rows, data_cloud, query_cloud);
  for (const std::int64_t sample : {1, 37, 400}) {
    AccuracyOptions some = options;
    some.sample = sample;
    const Accuracy of_some = measure_accuracy(data, queries, rows, some);
    const std::string name = c.name + ", sample " + std::to_string(sample);
    expect_same_verdict(judged_in_blocks(c, rows, sample), of_some, name);
    expect_same_verdict(flow::verify(in_memory, skipped(c), some), of_some, name + " in memory");
  }
  return want;
}

/// That of the rows that a search finds, for the queries, and for the data in themselves.
void expect_verdicts(FileSearchCase c) {
  const bool is_exact = c.search.method == Method::exact;
  for (const bool is_self : {false, true}) {
    if (is_self) c.queries.reset();
    if (is_self) c.name += ", self";
    const Accuracy of_all = expect_verdict(c, in_memory(c).neighbors);
    EXPECT_EQ(of_all.faulty, 0) << c.name;
    EXPECT_TRUE(!is_exact || of_all.first_different == -1) << c.name;
  }
}

TEST(SampleCheck, JudgesAsInMemory) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const Method method : {Method::exact, Method::shifted_sort})
        if (part.takes_next())
          expect_verdicts({.name = kind.name + " " + std::to_string(d) + "-D",
                           .data = {d, kind.make(900, d, 1)},
                           .queries = MemorySource(d, kind.make(500, d, 2)),
                           .search = skipping(5, method)});
}

TEST(SampleCheck, TakesAnyNumbersOfPointsAndNeighbours) {
  Part part;
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6, 65})
    for (const std::int64_t m : {0, 1, 65})
      for (const std::int64_t k : {1, 5, 70})
        if (part.takes_next())
          expect_verdicts({.name = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k),
                           .data = {3, uniform(n, 3, 3)},
                           .queries = MemorySource(3, uniform(m, 3, 4)),
                           .search = skipping(k)});
}

/// Map coordinates, some of them not finite.
Doubles coordinates_of_a_map(std::int64_t n, std::uint64_t seed) {
  Random r(seed);
  Doubles c;
  for (std::int64_t i = 0; i < 3 * n; ++i) {
    c.push_back((i % 3 == 0 ? 500000 : 5200000) + 100 * r.uniform());
    if (r.below(60) == 0) c.back() = k_nan;
  }
  return c;
}

TEST(SampleCheck, TakesFloat64BothTypesAndPointsThatAreSkipped) {
  const Doubles c = coordinates_of_a_map(700, 7);
  for (const Method method : {Method::exact, Method::shifted_sort}) {
    FileSearchCase map{.name = "map",
                       .data = {3, coordinates_of_a_map(2000, 5)},
                       .queries = MemorySource(3, coordinates_of_a_map(700, 6)),
                       .search = skipping(6, method)};
    expect_verdicts(map);
    map.queries = MemorySource(3, Coordinates(c.begin(), c.end()));
    expect_verdicts(map);
    std::swap(map.data, *map.queries);
    expect_verdicts(map);
  }
}

TEST(SampleCheck, KnowsTheRadiusAndThePointsThemselves) {
  for (const double radius : {0., .05, .1, 2.})
    for (const bool include_self : {false, true}) {
      FileSearchCase c{.name = "radius " + std::to_string(radius),
                       .data = {3, uniform(1500, 3, 8)},
                       .queries = MemorySource(3, uniform(300, 3, 7)),
                       .search = skipping(4)};
      c.search.radius = radius;
      c.search.include_self = include_self;
      expect_verdicts(c);
    }
}

/// The cloud, of which some points have no finite coordinates.
Coordinates with_gaps(Coordinates c, std::uint64_t seed) {
  Random r(seed);
  for (float& x : c)
    if (r.below(50) == 0) x = k_nan;
  return c;
}

TEST(SampleCheck, JudgesInPeriodicBoxesAsInMemory) {
  const std::vector<std::vector<double>> boxes{{1, 1, 1},      {.3, 0, .3},     {0, 7, 0},
                                               {.05, .5, 100}, {1e30, 1e30, 0}, {1, .8, .9, .4, -.3, .2}};
  Part part;
  std::uint64_t seed = 0;
  std::int64_t different = 0;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (int repeat = 0; repeat < 2; ++repeat) {
        const std::vector<double>& box = boxes[++seed % boxes.size()];
        if (!part.takes_next() || (d == 2 && box.size() > 3)) continue;
        FileSearchCase c{.name = kind.name + " " + std::to_string(d) + "-D, box " + std::to_string(box[0]),
                         .data = {d, with_gaps(kind.make(1500, d, seed), seed)},
                         .queries = MemorySource(d, with_gaps(kind.make(200, d, seed + 1), seed + 1)),
                         .search = skipping(5)};
        c.search.periodic.assign(box.begin(), box.size() == 3 ? box.begin() + d : box.end());
        c.search.include_self = seed % 2;
        const bool may_be_narrow =
            std::ranges::count(c.search.periodic, 0) > 0 || box[0] == .05;  // beside clouds that are far wider
        if (seed % 2 == 0 && !may_be_narrow) c.search.images = Images::all;
        if (seed % 3 == 0 && box[0] != .05) c.search.radius = .1;
        FileSearchCase other = c;
        other.search.periodic.front() *= 1.5;
        const Accuracy of_other = expect_verdict(c, in_memory(other).neighbors);
        different += of_other.judged - of_other.identical;
        expect_verdicts(c);
      }
  EXPECT_GT(different, 0);
}

/// Points that are many sides of a small box apart.
Doubles far_apart(std::int64_t n) {
  Random r(static_cast<std::uint64_t>(n) + 20);
  return make_doubles(n, 3, [&](auto, int) { return 1000 * (r.uniform() - .5); });
}

TEST(SampleCheck, TakesAnyNumbersOfPointsInABox) {
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6})
    for (const std::int64_t k : {1, 5, 70}) {
      FileSearchCase c{.name = std::to_string(n) + " points, k " + std::to_string(k),
                       .data = {3, far_apart(n)},
                       .queries = MemorySource(3, far_apart(7)),
                       .search = skipping(k)};
      c.search.periodic = {10, 0, 3.3};
      expect_verdicts(c);
    }
}

/// What is wrong with a row that spoil() is called with.
struct Wrong {
  std::string name;
  std::function<void(std::int64_t query, std::int32_t* ids, float* distances)> spoil;
};

TEST(SampleCheck, FindsWhatIsWrong) {
  FileSearchCase c{.name = "", .data = {3, uniform(1500, 3, 9)}, .queries = {}, .search = skipping(4)};
  const std::int64_t k = c.search.k;
  const auto distance = [&](std::int64_t query, std::int32_t id) {
    const auto d = [&](int a) { return c.data.view().at(query, a) - c.data.view().at(id, a); };
    return static_cast<float>(std::sqrt(std::fma(d(2), d(2), std::fma(d(1), d(1), d(0) * d(0)))));
  };
  const std::vector<Wrong> all = {
      {"a far neighbour",
       [&](std::int64_t query, std::int32_t* ids, float* distances) {
         ids[3] = static_cast<std::int32_t>((query + 700) % 1500);
         distances[3] = distance(query, ids[3]);
       }},
      {"a wrong distance", [&](auto, auto*, float* distances) { distances[2] *= 1.001f; }},
      {"a repeated id",
       [&](auto, std::int32_t* ids, float* distances) { ids[1] = ids[0], distances[1] = distances[0]; }},
      {"a missing neighbour",
       [&](auto, std::int32_t* ids, float* distances) {
         ids[3] = k_missing_id;
         distances[3] = k_infinity;
       }},
      {"the point itself",
       [&](std::int64_t query, std::int32_t* ids, float* distances) {
         ids[0] = static_cast<std::int32_t>(query);
         distances[0] = 0;
       }},
      {"an order", [&](auto, std::int32_t* ids, float* distances) {
         std::swap(ids[0], ids[1]);
         std::swap(distances[0], distances[1]);
       }}};
  for (const Method method : {Method::exact, Method::shifted_sort}) {
    c.search.method = method;
    const Neighbors right = in_memory(c).neighbors;
    for (const Wrong& wrong : all) {
      Neighbors rows = right;
      for (std::int64_t query = 7; query < rows.queries; query += 3)
        wrong.spoil(query, rows.ids.data() + query * k, rows.distances.data() + query * k);
      c.name = wrong.name;
      const Accuracy verdict = expect_verdict(c, rows);
      EXPECT_TRUE(verdict.faulty > 0 || verdict.recall < 1) << wrong.name;
    }
  }
}

TEST(SampleCheck, RefusesIdsThatNoPointHas) {
  const FileSearchCase c{.name = "", .data = {3, uniform(100, 3, 10)}, .queries = {}, .search = skipping(2)};
  Neighbors rows = in_memory(c).neighbors;
  rows.ids[31] = 100;
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [&] { judged_in_blocks(c, rows, 100); }),
            "accuracy: row 15 has id 100 (the data have no such point)");
}

TEST(SampledNumbers, AreOfAllAndDifferent) {
  using accuracy::sampled_numbers;
  EXPECT_TRUE(sampled_numbers(0, 5).empty());
  std::vector<std::int64_t> all(7);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sampled_numbers(7, 7), all);
  EXPECT_EQ(sampled_numbers(7, 100), all);
  for (const std::int64_t n : {std::int64_t{100'000}, std::int64_t{1} << 40}) {
    const std::vector<std::int64_t> some = sampled_numbers(n, 4000);
    ASSERT_EQ(some.size(), 4000u);
    EXPECT_TRUE(std::ranges::adjacent_find(some, std::greater_equal<>()) == some.end());
    EXPECT_GE(some.front(), 0);
    EXPECT_LT(some.back(), n);
    // Each eighth has 500: five standard deviations
    for (int part = 0; part < 8; ++part)
      EXPECT_NEAR(static_cast<double>(
                      std::ranges::count_if(some, [&](std::int64_t number) { return number / (n / 8) == part; })),
                  500, 5 * std::sqrt(500 * 7 / 8.0))
          << n;
  }
}

TEST(MostJudged, GrowsWithTheBudget) {
  EXPECT_EQ(flow::most_judged(0, 8), 0);
  EXPECT_EQ(flow::most_judged(4e6, 8), 0);
  EXPECT_GT(flow::most_judged(1e9, 8), 10'000);
  EXPECT_GT(flow::most_judged(1e9, 8), flow::most_judged(1e9, 100));
}

}  // namespace
}  // namespace kann::test
