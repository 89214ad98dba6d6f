// Rows that come in blocks are judged as measure_accuracy() judges them in memory, right and wrong ones.
#include "flow/rows/sample_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/error.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "flow/memory_source.hpp"
#include "flow/sample_check_support.hpp"
#include "part.hpp"
#include "products/accuracy/sample.hpp"

namespace kann::test {
namespace {

TEST(SampleCheck, JudgesAsInMemory) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const Method method : {Method::exact, Method::shifted_sort}) {
        if (!part.takes_next()) continue;
        const MemorySource<float> data(d, kind.make(900, d, 1)), queries(d, kind.make(500, d, 2));
        const std::string what = kind.name + " " + std::to_string(d) + "-D";
        const SearchOptions search = search_of(5, method);
        const Neighbors self = search_self(data.view(), search).neighbors;
        expect_verdict_of_memory<float, float>(data, nullptr, self, accuracy_of(true, method), what + ", self");
        const Neighbors other = kann::search(data.view(), queries.view(), search).neighbors;
        expect_verdict_of_memory(data, &queries, other, accuracy_of(false, method), what);
      }
}

TEST(SampleCheck, TakesAnyNumbersOfPointsAndNeighbours) {
  Part part;
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6, 65})
    for (const std::int64_t m : {0, 1, 65})
      for (const std::int64_t k : {1, 5, 70}) {
        if (!part.takes_next()) continue;
        const MemorySource<float> data(3, uniform(n, 3, 3)), queries(3, uniform(m, 3, 4));
        const std::string what = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k);
        const SearchOptions search = search_of(k, Method::exact);
        const Neighbors other = kann::search(data.view(), queries.view(), search).neighbors;
        expect_verdict_of_memory(data, &queries, other, accuracy_of(false, Method::exact), what);
        const Neighbors self = search_self(data.view(), search).neighbors;
        expect_verdict_of_memory<float, float>(data, nullptr, self, accuracy_of(true, Method::exact), what + ", self");
      }
}

/// Map coordinates, some of them not finite.
std::vector<double> coordinates_of_a_map(std::int64_t n, std::uint64_t seed) {
  Random r(seed);
  std::vector<double> c;
  for (std::int64_t i = 0; i < 3 * n; ++i) {
    c.push_back((i % 3 == 0 ? 500000 : 5200000) + 100 * r.uniform());
    if (r.below(60) == 0) c.back() = std::numeric_limits<double>::quiet_NaN();
  }
  return c;
}

TEST(SampleCheck, TakesFloat64BothTypesAndPointsThatAreSkipped) {
  const MemorySource<double> data(3, coordinates_of_a_map(2000, 5)), queries(3, coordinates_of_a_map(700, 6));
  const std::vector<double> c = coordinates_of_a_map(700, 7);
  const MemorySource<float> floats(3, std::vector<float>(c.begin(), c.end()));
  for (const Method method : {Method::exact, Method::shifted_sort}) {
    const SearchOptions search = search_of(6, method);
    const auto rows = [&](const auto& a, const auto& b) { return kann::search(a.view(), b.view(), search).neighbors; };
    EXPECT_EQ(
        expect_verdict_of_memory(data, &queries, rows(data, queries), accuracy_of(false, method), "float64").faulty, 0);
    expect_verdict_of_memory(data, &floats, rows(data, floats), accuracy_of(false, method), "float32 queries");
    expect_verdict_of_memory(floats, &data, rows(floats, data), accuracy_of(false, method), "float32 data");
    const Neighbors self = search_self(data.view(), search).neighbors;
    expect_verdict_of_memory<double, double>(data, nullptr, self, accuracy_of(true, method), "self");
  }
}

TEST(SampleCheck, KnowsTheRadiusAndThePointsThemselves) {
  const MemorySource<float> data(3, uniform(1500, 3, 8));
  for (const double radius : {0., .05, .1, 2.})
    for (const bool include_self : {false, true}) {
      SearchOptions search = search_of(4, Method::exact);
      search.radius = radius;
      search.include_self = include_self;
      AccuracyOptions options = accuracy_of(true, Method::exact);
      options.radius = radius;
      options.include_self = include_self;
      const Neighbors rows = search_self(data.view(), search).neighbors;
      expect_verdict_of_memory<float, float>(data, nullptr, rows, options, "radius " + std::to_string(radius));
    }
}

/// What is wrong with a row that spoil() is called with.
struct Wrong {
  std::string name;
  std::function<void(std::int64_t query, std::int32_t* ids, float* distances)> spoil;
};

TEST(SampleCheck, FindsWhatIsWrong) {
  const MemorySource<float> data(3, uniform(1500, 3, 9));
  const Points points = points_of(data);
  const std::int64_t k = 4;
  const auto distance = [&](std::int64_t query, std::int32_t id) {
    const auto d = [&](int a) { return points.at(query, a) - points.at(id, a); };
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
         distances[3] = std::numeric_limits<float>::infinity();
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
    const Neighbors right = search_self(data.view(), search_of(k, method)).neighbors;
    for (const Wrong& wrong : all) {
      Neighbors rows = right;
      for (std::int64_t query = 7; query < rows.queries; query += 3)
        wrong.spoil(query, rows.ids.data() + query * k, rows.distances.data() + query * k);
      const AccuracyOptions options = accuracy_of(true, method);
      expect_verdict_of_memory<float, float>(data, nullptr, rows, options, wrong.name);
      // Only rows of the sample are checked: here, all
      const Accuracy want = measure_accuracy(points, points, rows, options);
      const Accuracy got = judged_in_blocks<float, float>(data, nullptr, rows, rows.queries, options);
      EXPECT_EQ(got.faulty, want.faulty) << wrong.name;
      EXPECT_EQ(got.first_faulty, want.first_faulty) << wrong.name;
      EXPECT_EQ(got.first_fault, want.first_fault) << wrong.name;
      EXPECT_TRUE(got.faulty > 0 || got.recall < 1) << wrong.name;
    }
  }
}

TEST(SampleCheck, RefusesIdsThatNoPointHas) {
  const MemorySource<float> data(3, uniform(100, 3, 10));
  Neighbors rows = search_self(data.view(), search_of(2, Method::exact)).neighbors;
  rows.ids[31] = 100;
  try {
    judged_in_blocks<float, float>(data, nullptr, rows, 100, accuracy_of(true, Method::exact));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(error.what(), "accuracy: row 15 has id 100 (the data have no such point)");
  }
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
