// With a radius, measure_accuracy() expects the points within it, and no others.
#include <cmath>
#include <gtest/gtest.h>

#include "kann/accuracy.hpp"
#include "kann/error.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"

namespace kann::test {
namespace {

/// At 0, 1, 2, 3 and 4 on a line, seen from 0.
const Points k_near_data{2, Array<float>{0, 0, 1, 0, 2, 0, 3, 0, 4, 0}}, k_near_query{2, Array<float>{0, 0}};

Accuracy judge(Array<std::int32_t> ids, Array<float> distances, double radius, bool exact = true) {
  const auto k = static_cast<std::int64_t>(ids.size());
  return measure_accuracy(k_near_data, k_near_query, {1, k, std::move(ids), std::move(distances)},
                          {.exact = exact, .radius = radius});
}

TEST(AccuracyRadius, ExpectsThePointsWithin) {
  for (const bool exact : {false, true}) {
    const Accuracy all = judge({0, 1, 2, -1}, {0, 1, 2, k_infinity}, 2, exact);
    EXPECT_EQ(all.expected, 3);
    EXPECT_EQ(all.recall, 1);
    EXPECT_EQ(all.identical, 1);
    EXPECT_EQ(all.faulty, 0);
    const Accuracy one_less = judge({0, 1, -1, -1}, {0, 1, k_infinity, k_infinity}, 2, exact);
    EXPECT_EQ(one_less.recall, 2. / 3);
    EXPECT_EQ(one_less.identical, 0);
    EXPECT_EQ(one_less.all_correct, 0);
  }
  EXPECT_EQ(judge({0, 1}, {0, 1}, 1e300).expected, 2);  // no more than k
}

TEST(AccuracyRadius, ARowWithAFartherPointIsFaulty) {
  const Accuracy a = judge({0, 1, 2, 3}, {0, 1, 2, 3}, 2);
  EXPECT_EQ(a.identical, 0);
  EXPECT_EQ(a.faulty, 1);
  EXPECT_EQ(a.first_fault, "rank 3: id 3 is farther than the radius (distance 3)");
}

TEST(AccuracyRadius, NothingWithinIsNothingChecked) {
  const Points far{2, Array<float>{0.5f, 9}};
  const Accuracy a = measure_accuracy(k_near_data, far, {1, 2, {-1, -1}, {k_infinity, k_infinity}}, {.radius = 1});
  EXPECT_EQ(a.judged, 1);
  EXPECT_EQ(a.expected, 0);
  EXPECT_TRUE(std::isnan(a.recall));
  EXPECT_EQ(a.faulty, 0);
}

TEST(AccuracyRadius, ExactSearchesAreIdenticalOnEveryCloud) {
  SearchOptions options;
  options.k = 6;
  options.device.kind = DeviceKind::cpu;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3}) {
      const Points data = to_points(kind.make(600, d, 1), d), queries = to_points(kind.make(90, d, 2), d);
      const Neighbors all = search(data, queries, options).neighbors;
      for (const double radius : {static_cast<double>(all.distances[3]), 1e-300, 0.0, 1e30}) {
        SCOPED_TRACE(kind.name + " R=" + std::to_string(radius));
        options.radius = radius;
        const Accuracy a = measure_accuracy(data, queries, search(data, queries, options).neighbors,
                                            {.exact = true, .radius = radius});
        EXPECT_EQ(a.identical, 90);
        EXPECT_EQ(a.faulty, 0) << a.first_fault;
        EXPECT_EQ(a.all_correct, 90);
      }
      options.radius = {};
    }
}

TEST(AccuracyRadius, TinyRadiiAreCompared) {
  const Points data{2, Array<double>{1e-200, 0, 1e-300, 0, 0, 0, 5, 0}}, query{2, Array<double>{0, 0}};
  const Neighbors row{1, 3, {1, 2, -1}, {0, 0, k_infinity}};
  const Accuracy a = measure_accuracy(data, query, row, {.radius = 1e-250});
  EXPECT_EQ(a.expected, 2);
  EXPECT_EQ(a.recall, 1);
  EXPECT_EQ(a.faulty, 0) << a.first_fault;
}

TEST(AccuracyRadius, MustBeFiniteAndNotNegative) {
  for (const double radius : {-1.0, std::nan(""), HUGE_VAL}) {
    try {
      judge({0}, {0}, radius);
      ADD_FAILURE() << radius;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

}  // namespace
}  // namespace kann::test
