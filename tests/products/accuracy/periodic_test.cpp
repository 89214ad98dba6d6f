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
  if (d == 3) all.insert(all.end(), {{1, 0.8, 0.9, 0.4, -0.3, 0.2}, {0.5, 0.3, 0, 0.2, 0, 0}});
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
        const std::int64_t n = sides.size() > 3 ? 30 : 150;  // of which brute force looks at far more images
        const Points data = to_points(kind.make(n, d, 1), d), queries = to_points(kind.make(n / 4, d, 2), d);
        expect_identical(data, queries, sides, 6, false);
        expect_identical(data, data, sides, 6, true);
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
        for (const Accuracy& a :
             {measure_accuracy(data, asked, rows, options), compare(data, asked, rows, rows, options)}) {
          EXPECT_EQ(a.identical, a.judged);
          EXPECT_EQ(a.all_correct, asked.size());
          EXPECT_EQ(a.faulty, 0) << a.first_fault;
        }
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
      if (sides.size() == 3) expect_identical(data, queries, sides, 6, false);  // far wider than the others
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
            "accuracy: a periodic box of 3 numbers (points have 2 coordinates)");
  const std::string expected =
      "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, with XY,XZ,YZ behind "
      "them if the box is slanted, or three vectors, got '";
  EXPECT_EQ(message({.exact = true, .periodic = {1, -1}}), expected + "1,-1'");
  EXPECT_EQ(message({.exact = true, .periodic = {1, std::nan("")}}), expected + "1,nan'");
}

}  // namespace
}  // namespace kann::test
