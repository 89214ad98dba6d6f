// With a radius, in a periodic box and by groups, measure_accuracy() and compare() expect the points that these allow,
// at the distances that they give them, and no others.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/compare.hpp"
#include "kann/groups.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "float64_clouds.hpp"
#include "products/accuracy/exact_answer.hpp"
#include "products/accuracy/periodic_answer.hpp"
#include "products/accuracy/verdicts.hpp"
#include "refusal.hpp"

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
        const Neighbors rows = search(data, queries, options).neighbors;
        expect_identical(data, queries, rows, {.exact = true, .radius = radius});
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
  for (const double radius : {-1.0, std::nan(""), HUGE_VAL})
    EXPECT_NE(refusal_of(ErrorKind::usage, [&] { judge({0}, {0}, radius); }), "") << radius;
}

using Sides = std::vector<double>;

std::vector<Sides> boxes(int d) {
  std::vector<Sides> all;
  for (const Sides& s :
       {Sides{1, 1, 1}, Sides{0.3, 0, 0.3}, Sides{0, 7, 0}, Sides{1e-3, 0.5, 100}, Sides{1e30, 1e30, 0}})
    all.emplace_back(s.begin(), s.begin() + d);
  if (d == 3) all.insert(all.end(), {{1, 0.8, 0.9, 0.4, -0.3, 0.2}, {0.5, 0.3, 0, 0.2, 0, 0}});
  return all;
}

void expect_periodic(const Points& data, const Points& queries, const Sides& sides, bool is_self) {
  const AccuracyOptions options{.self_query = is_self, .exact = true, .periodic = sides, .threads = 2};
  expect_identical(data, queries, periodic_answer(data, queries, sides, 6, is_self), options);
}

TEST(AccuracyPeriodic, BruteForceIsIdentical) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const Sides& sides : boxes(d)) {
        SCOPED_TRACE(kind.name + " d=" + std::to_string(d) + " L=" + std::to_string(sides[0]));
        const std::int64_t n = sides.size() > 3 ? 30 : 150;  // of which brute force looks at far more images
        const Points data = to_points(kind.make(n, d, 1), d), queries = to_points(kind.make(n / 4, d, 2), d);
        expect_periodic(data, queries, sides, false);
        expect_periodic(data, data, sides, true);
      }
}

/// Rows with every image are right, and one without an image, or with one twice, is found out.
TEST(AccuracyPeriodic, AllImagesAreJudged) {
  for (const CloudKind& kind : all_clouds())
    for (const Sides& sides : {Sides{1, 1, 1}, Sides{0.7, 0, 0.5}, Sides{1, 0.8, 0.9, 0.4, -0.3, 0.2}}) {
      SCOPED_TRACE(kind.name + " L=" + std::to_string(sides[0]));
      if (sides[1] == 0 && kind.name != "uniform") continue;  // far wider than the sides
      const Points data = to_points(kind.make(8, 3, 1), 3), queries = to_points(kind.make(5, 3, 2), 3);
      for (const Own own : {Own::none, Own::dropped, Own::kept}) {
        const Points& asked = own == Own::none ? queries : data;
        const AccuracyOptions options{.self_query = own != Own::none,
                                      .include_self = own == Own::kept,
                                      .exact = true,
                                      .periodic = sides,
                                      .images = Images::all,
                                      .threads = 2};
        const Neighbors rows = all_images_answer(data, asked, sides, 12, own);
        expect_identical(data, asked, rows, options);
        Neighbors wrong = rows;  // the last is as far as the one before it, once more
        wrong.ids[11] = wrong.ids[10];
        wrong.distances[11] = std::nextafter(wrong.distances[10], 9.f);
        EXPECT_EQ(measure_accuracy(data, asked, wrong, options).faulty, 1);
      }
    }
}

TEST(AccuracyPeriodic, BruteForceOfFloat64CloudsIsIdentical) {
  for (const auto& kind : float64_clouds()) {
    const Points data = to_points(kind.make(40, 3, 1), 3), queries = to_points(kind.make(10, 3, 2), 3);
    if (kind.name == "denormals" || kind.name.starts_with("squares_")) continue;  // whose squares vanish, unscaled
    SCOPED_TRACE(kind.name);
    for (const Sides& sides : boxes(3))
      if (sides.size() == 3) expect_periodic(data, queries, sides, false);  // far wider than the others
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
  const auto message = [&](const AccuracyOptions& options) {
    return refusal_of(ErrorKind::usage, [&] { measure_accuracy(data, data, rows, options); });
  };
  EXPECT_EQ(message({.periodic = {1, 1}}), "accuracy: a periodic box needs rows that are exact");
  EXPECT_EQ(message({.exact = true, .periodic = {1, 1, 1}}),
            "accuracy: a periodic box of 3 numbers (points have 2 coordinates)");
  const std::string expected =
      "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, with XY,XZ,YZ behind "
      "them if the box is slanted, or three vectors, got '";
  EXPECT_EQ(message({.exact = true, .periodic = {1, -1}}), expected + "1,-1'");
  EXPECT_EQ(message({.exact = true, .periodic = {1, std::nan("")}}), expected + "1,nan'");
}

using Labels = std::vector<std::int64_t>;

/// Labels −1 (no group) to `most`, also large ones.
Labels labels_of(std::int64_t count, std::int64_t most, std::int64_t seed) {
  Labels labels;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t label = (i * 7 + seed + i / 5) % (most + 2) - 1;
    labels.push_back(label == most ? std::int64_t{1} << 62 : label);
  }
  return labels;
}

/// The definition: all allowed pairs, sorted.
Neighbors rows_by_groups(const Points& data, const Points& queries, std::int64_t k, bool drop_self,
                         const Groups& groups) {
  Neighbors rows{queries.size(), k, {}, {}};
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    const std::int64_t label = (groups.queries.empty() ? groups.data : groups.queries)[q];
    std::vector<std::pair<double, std::int32_t>> allowed;
    for (std::int64_t i = 0; i < data.size(); ++i) {
      const bool is_same = groups.data[i] == label;
      if (label < 0 || groups.data[i] < 0 || is_same != (groups.rule == GroupRule::same)) continue;
      if (!is_finite(data, i) || !is_finite(queries, q) || (drop_self && i == q)) continue;
      allowed.emplace_back(sq_distance(data, i, queries, q), static_cast<std::int32_t>(i));
    }
    append_nearest(allowed, rows);
  }
  return rows;
}

std::int64_t found_in(const Neighbors& rows) {
  return static_cast<std::int64_t>(rows.ids.size()) - std::ranges::count(rows.ids, k_missing_id);
}

TEST(AccuracyGroups, BruteForceIsIdenticalOnEveryCloud) {
  for (const CloudKind& kind : all_clouds())
    for (const std::int64_t n : {0, 1, 2, 8, 9, 129})
      for (const GroupRule rule : {GroupRule::same, GroupRule::other})
        for (const bool is_self : {false, true}) {
          SCOPED_TRACE(kind.name + std::to_string(n) + (rule == GroupRule::same ? " same" : " other"));
          const Points data = to_points(kind.make(static_cast<int>(n), 3, 1), 3);
          const Points queries = is_self ? data : to_points(kind.make(33, 3, 2), 3);
          const Labels of_data = labels_of(n, 4, 0), of_queries = is_self ? Labels() : labels_of(33, 5, 3);
          const Groups groups{of_data, of_queries, rule};
          const Neighbors rows = rows_by_groups(data, queries, 8, is_self, groups);
          const AccuracyOptions options{.self_query = is_self, .exact = true, .groups = groups};
          EXPECT_EQ(expect_identical(data, queries, rows, options).expected, found_in(rows));
        }
}

TEST(AccuracyGroups, JudgesWhatASearchByGroupsFinds) {
  SearchOptions search;
  search.k = 6;
  search.device.kind = DeviceKind::cpu;
  const Points data = to_points(uniform(700, 3, 1), 3), queries = to_points(uniform(300, 3, 2), 3);
  const Labels of_data = labels_of(700, 9, 0), of_queries = labels_of(300, 9, 1);
  for (const GroupRule rule : {GroupRule::same, GroupRule::other})
    for (const double radius : {0.2, 9.}) {
      const Groups groups{of_data, of_queries, rule};
      search.radius = radius;
      const Neighbors rows = search_groups(data, queries, groups, search).neighbors;
      const Accuracy a = expect_identical(data, queries, rows, {.exact = true, .radius = radius, .groups = groups});
      EXPECT_EQ(a.expected, found_in(rows));
      EXPECT_GT(a.expected, 300);
    }
}

TEST(AccuracyGroups, FindsWhatIsWrong) {
  const Points data{2, Array<float>{0, 0, 1, 0, 2, 0, 3, 0}}, query{2, Array<float>{0, 0}};
  const Labels of_data{7, -1, 8, 7};
  const auto judge = [&](Array<std::int32_t> ids, Array<float> distances, const Labels& of_query, GroupRule rule) {
    return measure_accuracy(data, query, {1, 2, std::move(ids), std::move(distances)},
                            {.exact = true, .groups = Groups{of_data, of_query, rule}});
  };
  const Labels seven{7}, nine{9}, none{-1};
  EXPECT_EQ(judge({0, 3}, {0, 3}, seven, GroupRule::same).identical, 1);
  EXPECT_EQ(judge({2, -1}, {2, k_infinity}, seven, GroupRule::other).identical, 1);
  EXPECT_EQ(judge({0, 2}, {0, 2}, nine, GroupRule::other).identical, 1);
  EXPECT_EQ(judge({-1, -1}, {k_infinity, k_infinity}, nine, GroupRule::same).expected, 0);
  EXPECT_EQ(judge({-1, -1}, {k_infinity, k_infinity}, none, GroupRule::other).expected, 0);
  const std::string wrong = " is not in a group that the query may have";
  const Accuracy other = judge({0, 2}, {0, 2}, seven, GroupRule::same);
  EXPECT_EQ(other.first_fault, "rank 1: id 2" + wrong);
  EXPECT_EQ(other.recall, .5);
  EXPECT_EQ(judge({0, 1}, {0, 1}, seven, GroupRule::same).first_fault, "rank 1: id 1" + wrong);
  EXPECT_EQ(judge({0, 2}, {0, 2}, none, GroupRule::other).first_fault, "rank 0: id 0" + wrong);
  const Accuracy missing = judge({0, -1}, {0, k_infinity}, seven, GroupRule::same);
  EXPECT_EQ(missing.first_fault, "rank 1: id -1 (need 2 neighbours)");
  EXPECT_EQ(missing.recall, .5);
}

TEST(AccuracyGroups, RefusesWhatItCannotJudge) {
  const Points data{2, Array<float>{0, 0, 1, 0}};
  const Labels labels{1, 1}, one{1};
  const auto message = [&](ErrorKind kind, const AccuracyOptions& options) {
    return refusal_of(kind, [&] { measure_accuracy(data, data, {2, 1, {1, 0}, {1, 1}}, options); });
  };
  EXPECT_EQ(message(ErrorKind::usage, {.groups = Groups{labels, labels}}), "accuracy: groups need rows that are exact");
  EXPECT_EQ(message(ErrorKind::bad_input, {.exact = true, .groups = Groups{labels, one}}),
            "accuracy: not a label per point (got 2 and 1)");
  EXPECT_EQ(message(ErrorKind::bad_input, {.self_query = true, .exact = true, .groups = Groups{one, {}}}),
            "accuracy: not a label per point (got 1 and 0)");
}

}  // namespace
}  // namespace kann::test
