// compare() returns the recall against a stored result.
#include "kann/compare.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <span>

#include "kann/error.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "products/accuracy/exact_answer.hpp"

namespace kann::test {
namespace {

/// At 0, 1, 2, 3, 4 and 4 on a line, seen from 0.
const Points k_data{2, Array<float>{0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 4, 0}}, k_query{2, Array<float>{0, 0}};

Neighbors ids_alone(Array<std::int32_t> ids) {
  const auto k = static_cast<std::int64_t>(ids.size());
  return {1, k, std::move(ids), {}};
}
Neighbors row(Array<std::int32_t> ids) {
  Neighbors n = ids_alone(std::move(ids));
  for (const std::int32_t id : n.ids) n.distances.push_back(id < 0 ? k_infinity : static_cast<float>(k_data.at(id, 0)));
  return n;
}
Accuracy against(Array<std::int32_t> reference, Array<std::int32_t> result, const AccuracyOptions& options = {}) {
  return compare(k_data, k_query, row(std::move(result)), ids_alone(std::move(reference)), options);
}

/// The recall against exact rows is the one that measure_accuracy() finds by its own.
TEST(Compare, AgainstExactRowsItIsTheRecallOfMeasureAccuracy) {
  SearchOptions options;
  options.k = 8;
  options.method = Method::shifted_sort;
  options.window = 4;
  options.shifts = 1;
  options.device.kind = DeviceKind::cpu;
  for (const CloudKind& kind : all_clouds()) {
    SCOPED_TRACE(kind.name);
    const Points data = to_points(kind.make(700, 3, 1), 3), queries = to_points(kind.make(300, 3, 2), 3);
    const Neighbors found = search(data, queries, options).neighbors;
    Neighbors truth = exact_answer(data, queries, 20);  // longer rows than those of the result
    truth.distances.clear();
    const Accuracy want = measure_accuracy(data, queries, found, {}), got = compare(data, queries, found, truth, {});
    EXPECT_EQ(got.recall, want.recall);
    EXPECT_EQ(got.all_correct, want.all_correct);
    EXPECT_EQ(got.identical, want.identical);
    EXPECT_EQ(got.distance_ratio, want.distance_ratio);

    const Accuracy self = compare(data, data, search_self(data, options).neighbors, exact_answer(data, data, 20),
                                  {.self_query = true});  // a truth in which points are their own neighbours
    EXPECT_EQ(self.recall,
              measure_accuracy(data, data, search_self(data, options).neighbors, {.self_query = true}).recall);
  }
}

TEST(Compare, ComparesTheSmallerK) {
  EXPECT_EQ(against({0, 1}, {0, 1, 2, 3}).expected, 2);
  EXPECT_EQ(against({0, 1}, {0, 1, 2, 3}).recall, 1);
  EXPECT_EQ(against({0, 1}, {0, 1, 2, 3}).identical, 1);
  EXPECT_EQ(against({0, 1}, {0, 2, 3, 4}).recall, 0.5);
  EXPECT_EQ(against({0, 1, 2, 3}, {0, 1}).expected, 2);
  EXPECT_EQ(against({0, 1, 2, 3}, {0, 2}).recall, 0.5);
  EXPECT_EQ(against({3, 2, 1, 0}, {0, 1}).recall, 1);  // the nearest of a row in any order
  EXPECT_EQ(against({3, 2, 1, 0}, {0, 1}).identical, 1);
}

TEST(Compare, EquallyFarNeighboursCount) {
  EXPECT_EQ(against({0, 1, 2, 3, 4}, {0, 1, 2, 3, 5}).recall, 1);
  EXPECT_EQ(against({0, 1, 2, 3, 4}, {0, 1, 2, 3, 5}).identical, 0);
  EXPECT_EQ(against({0, 1, 2, 3, 4}, {0, 1, 2, 3, 3}).recall, 0.8);  // a repeated one does not
}

TEST(Compare, MissingNeighboursOfTheReferenceAreNotExpected) {
  EXPECT_EQ(against({0, 1, -1, -1}, {0, 1, 2, 3}).expected, 2);
  EXPECT_EQ(against({0, 1, -1, -1}, {0, 1, 2, 3}).recall, 1);
  EXPECT_EQ(against({0, 1, -1, -1}, {0, 1, 2, 3}).identical, 0);
  EXPECT_THROW(against({0, 1, 1, 2}, {0, 1, 2, 3}), Error);
  EXPECT_EQ(against({0, 1, 2, 3}, {0, 1, -1, -1}).recall, 0.5);
}

TEST(Compare, AResultThatIsBetterHasARecallOf1) {
  const Accuracy a = against({0, 2, 3, 4}, {0, 1, 2, 3});
  EXPECT_EQ(a.recall, 1);
  EXPECT_LT(a.distance_ratio, 1);
  EXPECT_NEAR(a.distance_ratio, (1. / 2 + 2. / 3 + 3. / 4) / 3, 1e-6);
}

TEST(Compare, CountsTheRowsThatBeatTheReference) {
  EXPECT_EQ(against({0, 1, 2}, {0, 1, 2}).nearer, 0);
  EXPECT_EQ(against({0, 1, 2}, {0, 1, 3}).nearer, 0);
  EXPECT_EQ(against({0, 1, 3}, {0, 1, 2}).nearer, 1);
  EXPECT_EQ(against({0, 1, 3}, {0, 1, 2}).first_nearer, 0);
  EXPECT_EQ(against({4, 3, 2, 1}, {0, 1, 2, 3}).nearer, 1);
  EXPECT_EQ(against({0, 1, -1}, {0, 1, 2}).nearer, 1);  // it should have had a third
  EXPECT_EQ(against({0, 1}, {0, 1, 2}).nearer, 0);      // it was not asked for one
  EXPECT_EQ(against({0, 1, 4}, {0, 1, 5}).nearer, 0);   // as far
  EXPECT_EQ(against({0, 1, 3}, {0, 1, 2}, {.tolerance = 0.4}).nearer, 0);
  EXPECT_EQ(against({0, 1, 3}, {0, 1, 2}, {.tolerance = 0.3}).nearer, 1);
}

TEST(Compare, ItsHashTellsCloudsApart) {
  const Points a{3, Array<float>{1, 2, 3, 4, 5, 6}}, same{3, Array<double>{1, 2, 3, 4, 5, 6}};
  const std::uint64_t hash = coordinates_hash(a);
  EXPECT_EQ(coordinates_hash(same), hash);
  for (const Points& other :
       {Points{3, Array<float>{4, 5, 6, 1, 2, 3}}, Points{3, Array<float>{1, 2, 3, 4, 6, 5}},
        Points{3, Array<double>{1, 2, 3, 4, 5, 6 + 1e-15}}, Points{2, Array<float>{1, 2, 3, 4, 5, 6}},
        Points{3, Array<float>{1, 2, 3}}, Points{3, Array<float>{-1, 2, 3, 4, 5, 6}}})
    EXPECT_NE(coordinates_hash(other), hash);
  const Points zero{2, Array<float>{0, k_nan}}, minus{2, Array<float>{-0.0f, -k_nan}};
  EXPECT_EQ(coordinates_hash(zero), coordinates_hash(minus));
  const Points large = to_points(all_clouds()[0].make(200'000, 3, 1), 3);
  const std::uint64_t whole = coordinates_hash(large, 0, 1);
  EXPECT_EQ(coordinates_hash(large, 0, 3), whole);
  const std::span coordinates = std::get<std::span<const float>>(PointsView(large).coordinates);
  const std::uint64_t parts = coordinates_hash(PointsView(3, coordinates.first(3 * 777)), 0) +
                              coordinates_hash(PointsView(3, coordinates.subspan(3 * 777)), 777);
  EXPECT_EQ(parts, whole);
}

TEST(Compare, NothingToCompareIsNoRecall) {
  EXPECT_EQ(against({0, 1}, {}).judged, 1);
  EXPECT_EQ(against({-1, -1}, {-1, -1}).judged, 1);
  for (const Accuracy& a : {against({-1, -1}, {0, 1}), against({}, {0, 1})}) EXPECT_EQ(a.judged, 0);
  for (const Accuracy& a : {against({-1, -1}, {0, 1}), against({}, {0, 1}), against({0, 1}, {})}) {
    EXPECT_EQ(a.expected, 0);
    EXPECT_TRUE(std::isnan(a.recall));
  }
}

TEST(Compare, ARadiusLimitsTheReference) {
  const Accuracy a = against({0, 1, 2, 3}, {0, 1, -1, -1}, {.radius = 1});
  EXPECT_EQ(a.expected, 2);
  EXPECT_EQ(a.recall, 1);
  EXPECT_EQ(a.identical, 1);
}

TEST(Compare, InvalidPointsAreNotExpected) {
  const Points data{2, Array<float>{NAN, 0, 1, 0, 2, 0}}, queries{2, Array<float>{0, 0, 0, INFINITY}};
  const Neighbors result{2, 2, {1, 2, -1, -1}, {1, 2, k_infinity, k_infinity}}, reference{2, 2, {0, 1, 1, 2}, {}};
  const Accuracy a = compare(data, queries, result, reference, {});
  EXPECT_EQ(a.judged, 1);
  EXPECT_EQ(a.expected, 1);
  EXPECT_EQ(a.recall, 1);
}

TEST(Compare, RowsOfTheResultAreChecked) {
  Neighbors result = row({0, 1, 2});
  result.distances[1] = 0.5f;
  EXPECT_EQ(compare(k_data, k_query, result, ids_alone({0, 1, 2}), {}).faulty, 1);
}

TEST(Compare, AReferenceThatDoesNotMatchIsRefused) {
  EXPECT_THROW(against({0, 6}, {0, 1}), Error);
  EXPECT_THROW(compare(k_data, k_query, row({0, 1}), {2, 1, {0, 1}, {}}, {}), Error);
}

}  // namespace
}  // namespace kann::test
