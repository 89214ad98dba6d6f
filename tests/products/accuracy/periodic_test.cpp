// In a periodic box, measure_accuracy() and compare() judge by the distances to nearest images.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "clouds.hpp"
#include "float64_clouds.hpp"
#include "periodic_answer.hpp"

namespace kann::test {
namespace {

using Sides = std::vector<double>;

std::vector<Sides> boxes(int d) {
  std::vector<Sides> all;
  for (const Sides& s :
       {Sides{1, 1, 1}, Sides{0.3, 0, 0.3}, Sides{0, 7, 0}, Sides{1e-3, 0.5, 100}, Sides{1e30, 1e30, 0}})
    all.emplace_back(s.begin(), s.begin() + d);
  return all;
}

void expect_identical(const Points& data, const Points& queries, const Sides& sides, std::int64_t k, bool is_self) {
  const Neighbors rows = periodic_answer(data, queries, sides, k, is_self);
  const AccuracyOptions options{.self_query = is_self, .exact = true, .periodic = sides, .threads = 2};
  for (const Accuracy& a :
       {measure_accuracy(data, queries, rows, options), compare(data, queries, rows, rows, options)}) {
    EXPECT_EQ(a.identical, a.judged);
    EXPECT_EQ(a.all_correct, queries.size());
    EXPECT_EQ(a.faulty, 0) << a.first_fault;
  }
}

TEST(AccuracyPeriodic, BruteForceIsIdentical) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const Sides& sides : boxes(d)) {
        SCOPED_TRACE(kind.name + " d=" + std::to_string(d) + " L=" + std::to_string(sides[0]));
        const Points data = to_points(kind.make(150, d, 1), d), queries = to_points(kind.make(40, d, 2), d);
        expect_identical(data, queries, sides, 6, false);
        expect_identical(data, data, sides, 6, true);
      }
}

TEST(AccuracyPeriodic, BruteForceOfFloat64CloudsIsIdentical) {
  for (const auto& kind : float64_clouds()) {
    const Points data = to_points(kind.make(150, 3, 1), 3), queries = to_points(kind.make(40, 3, 2), 3);
    if (kind.name == "denormals" || kind.name.starts_with("squares_")) continue;  // whose squares vanish, unscaled
    SCOPED_TRACE(kind.name);
    for (const Sides& sides : boxes(3)) expect_identical(data, queries, sides, 6, false);
  }
}

/// The rows of the search without the box, and of another box, are found out.
TEST(AccuracyPeriodic, RowsOfAnotherBoxAreNotIdentical) {
  const Points cloud = to_points(uniform(500, 3, 1), 3);
  const AccuracyOptions options{.self_query = true, .exact = true, .periodic = {1, 1, 1}};
  for (const Neighbors& rows :
       {exact_answer(cloud, cloud, 6, true), periodic_answer(cloud, cloud, {1, 0, 1}, 6, true)}) {
    const Accuracy a = measure_accuracy(cloud, cloud, rows, options);
    EXPECT_LT(a.identical, a.judged);
    EXPECT_LT(a.recall, 1);
    const Accuracy c = compare(cloud, cloud, rows, periodic_answer(cloud, cloud, {1, 1, 1}, 6, true), options);
    EXPECT_LT(c.identical, c.judged);
    EXPECT_LT(c.recall, 1);
  }
}

TEST(AccuracyPeriodic, OneWrongIdOrDistanceIsFoundOut) {
  const Points cloud = to_points(uniform(300, 2, 1), 2);
  const AccuracyOptions options{.self_query = true, .exact = true, .periodic = {1, 1}};
  const Neighbors right = periodic_answer(cloud, cloud, {1, 1}, 5, true);
  for (const std::int64_t row : {0, 150, 299}) {
    Neighbors wrong = right;
    wrong.distances[row * 5 + 4] = std::nextafter(wrong.distances[row * 5 + 4], 9.f);
    const Accuracy a = measure_accuracy(cloud, cloud, wrong, options);
    EXPECT_EQ(a.faulty, 1);
    EXPECT_EQ(a.first_faulty, row);
    wrong = periodic_answer(cloud, cloud, {1, 1}, 6, true);
    Neighbors last = right;  // the sixth in the place of the fifth
    last.ids[row * 5 + 4] = wrong.ids[row * 6 + 5];
    last.distances[row * 5 + 4] = wrong.distances[row * 6 + 5];
    const Accuracy b = measure_accuracy(cloud, cloud, last, options);
    EXPECT_EQ(b.identical, 299);
    EXPECT_EQ(b.first_different, row);
    EXPECT_EQ(b.faulty, 0);
  }
}

TEST(AccuracyPeriodic, ARadiusIsOfTheNearestImage) {
  const Points data{2, Array<double>{0.1, 0, 0.9, 0, 0.5, 0}}, query{2, Array<double>{0, 0}};
  const float near = 0.1f, infinite = std::numeric_limits<float>::infinity();
  const AccuracyOptions options{.exact = true, .radius = 0.2, .periodic = {1, 0}};
  const Accuracy a = measure_accuracy(data, query, {1, 3, {1, 0, -1}, {near, near, infinite}}, options);
  EXPECT_EQ(a.expected, 2);
  EXPECT_EQ(a.recall, 1);
  const Accuracy b = measure_accuracy(data, query, {1, 3, {0, 2, -1}, {near, 0.5f, infinite}}, options);
  EXPECT_EQ(b.first_fault, "rank 1: id 2 is farther than the radius (distance 0.5)");
}

TEST(AccuracyPeriodic, RefusesWhatItCannotJudge) {
  const Points data{2, Array<double>{0, 0, 1, 1}};
  const Neighbors rows = exact_answer(data, data, 1);
  const auto message = [&](const AccuracyOptions& options) -> std::string {
    try {
      measure_accuracy(data, data, rows, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.periodic = {1, 1}}), "accuracy: a periodic box needs rows that are exact");
  EXPECT_EQ(message({.exact = true, .periodic = {1, 1, 1}}),
            "accuracy: a periodic box of 3 sides (points have 2 coordinates)");
  EXPECT_EQ(message({.exact = true, .periodic = {1, -1}}),
            "accuracy: a periodic box with a side of -1.000000 (need a finite one, 0 or more)");
  EXPECT_EQ(message({.exact = true, .periodic = {1, std::nan("")}}),
            "accuracy: a periodic box with a side of nan (need a finite one, 0 or more)");
}

}  // namespace
}  // namespace kann::test
