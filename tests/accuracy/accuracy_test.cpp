// measure_accuracy() returns the exact recall of results whose errors are known.
#include "kann/accuracy.hpp"

#include <gtest/gtest.h>

#include "kann/error.hpp"

#include "accuracy/exact_answer.hpp"
#include "clouds.hpp"

namespace kann::test {
namespace {

constexpr float k_nan = std::numeric_limits<float>::quiet_NaN();

Points doubles(const Coordinates& c, int d, double scale = 1) {
  Array<double> out;
  for (const float x : c) out.push_back(x * scale);
  return {d, std::move(out)};
}

void expect_equal(const Accuracy& a, const Accuracy& b) {
  EXPECT_EQ(a.judged, b.judged);
  EXPECT_EQ(a.recall, b.recall);
  EXPECT_EQ(a.distance_ratio, b.distance_ratio);
  EXPECT_EQ(a.all_correct, b.all_correct);
}

/// 513 × 8 neighbours with errors in rows 1, 2 and 3 of every four: the last is another point, the second repeats the
/// first, the third and fourth are missing.
struct ResultWithErrors {
  Points data = to_points(uniform(700, 3, 11), 3), queries = to_points(uniform(513, 3, 12), 3);
  Neighbors neighbors = exact_answer(data, queries, 9);
  std::int64_t right = 0, all_correct = 0;

  ResultWithErrors() {
    Neighbors ninth = std::exchange(neighbors, exact_answer(data, queries, 8));
    for (std::int64_t q = 0; q < queries.size(); ++q) {
      std::int32_t* ids = &neighbors.ids[q * 8];
      if (q % 4 == 1) ids[7] = ninth.ids[q * 9 + 8];
      if (q % 4 == 2) ids[1] = ids[0];
      if (q % 4 == 3) ids[2] = ids[3] = k_missing_id;
      right += q % 4 == 0 ? 8 : q % 4 == 3 ? 6 : 7;
      all_correct += q % 4 == 0;
    }
  }
};

TEST(Accuracy, AnExactAnswerIsAllCorrect) {
  constexpr std::int64_t k = 5;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {0, 1, 2, 4, 5, 6, 513})
        for (const bool self : {false, true})
          for (const bool include_self : {false, true}) {
            if (include_self && !self) continue;
            SCOPED_TRACE(kind.name + " n=" + std::to_string(n) + " d=" + std::to_string(d) + (self ? " self" : "") +
                         (include_self ? " included" : ""));
            const Points data = to_points(kind.make(n, d, 1), d);
            const Points queries = self ? data : to_points(kind.make(65, d, 2), d);
            const Neighbors exact = exact_answer(data, queries, k, self && !include_self);
            const Accuracy a =
                measure_accuracy(data, queries, exact, {.self_query = self, .include_self = include_self});
            EXPECT_EQ(a.judged, queries.size());
            EXPECT_EQ(a.recall, 1);
            EXPECT_EQ(a.all_correct, queries.size());
            EXPECT_NEAR(a.distance_ratio, 1, 1e-7);
          }
}

TEST(Accuracy, WrongRepeatedAndMissingNeighboursDoNotCount) {
  const ResultWithErrors s;
  const Accuracy a = measure_accuracy(s.data, s.queries, s.neighbors, {});
  EXPECT_EQ(a.judged, 513);
  EXPECT_EQ(a.recall, static_cast<double>(s.right) / (513 * 8));
  EXPECT_EQ(a.all_correct, s.all_correct);
}

TEST(Accuracy, AnAnswerOfNothingHasRecall0) {
  const ResultWithErrors s;
  Neighbors none = s.neighbors;
  std::fill(none.ids.begin(), none.ids.end(), k_missing_id);
  const Accuracy a = measure_accuracy(s.data, s.queries, none, {});
  EXPECT_EQ(a.recall, 0);
  EXPECT_EQ(a.all_correct, 0);
  EXPECT_EQ(a.distance_ratio, 1);
}

TEST(Accuracy, APointIsNotItsOwnNeighbourUnlessIncluded) {
  const Points data = to_points(uniform(100, 3, 3), 3);
  const Neighbors with_self = exact_answer(data, data, 4);
  EXPECT_EQ(measure_accuracy(data, data, with_self, {.self_query = true}).recall, 0.75);
  EXPECT_EQ(measure_accuracy(data, data, with_self, {.self_query = true, .include_self = true}).recall, 1);
}

TEST(Accuracy, AnyOfEquallyFarNeighboursCounts) {
  const Points data{2, Array<float>{1, 0, 0, 1, -1, 0, 0, -1, 0.5f, 0, 2, 0}};  // four at distance 1
  const Points query{2, Array<float>{0, 0}};
  const auto recall = [&](Array<std::int32_t> ids) {
    return measure_accuracy(data, query, {1, 3, std::move(ids), {0.5f, 1, 1}}, {}).recall;
  };
  EXPECT_EQ(recall({4, 0, 1}), 1);
  EXPECT_EQ(recall({4, 3, 2}), 1);
  EXPECT_EQ(recall({3, 2, 1}), 1);  // the k-th distance decides
  EXPECT_EQ(recall({4, 3, 5}), 2. / 3);
  EXPECT_EQ(recall({4, 3, 3}), 2. / 3);
}

TEST(Accuracy, TheRatioIsThatOfTheReturnedDistances) {
  const ResultWithErrors s;
  Neighbors far = s.neighbors;
  for (float& x : far.distances) x *= 1.5f;
  EXPECT_NEAR(measure_accuracy(s.data, s.queries, far, {}).distance_ratio, 1.5, 1e-6);
}

TEST(Accuracy, ASampleIsJudgedAsThoseRowsAlone) {
  const ResultWithErrors s;
  for (const std::int64_t count : {1, 2, 100, 300, 512, 513, 514, 1000000}) {
    Points queries{3, Array<float>()};
    Neighbors rows{0, 8, {}, {}};
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 513); ++i) {
      const std::int64_t q = i * 513 / std::min<std::int64_t>(count, 513);
      for (int a = 0; a < 3; ++a) std::get<0>(queries.coordinates).push_back(static_cast<float>(s.queries.at(q, a)));
      rows.ids.insert(rows.ids.end(), &s.neighbors.ids[q * 8], &s.neighbors.ids[q * 8] + 8);
      rows.distances.insert(rows.distances.end(), &s.neighbors.distances[q * 8], &s.neighbors.distances[q * 8] + 8);
      ++rows.queries;
    }
    SCOPED_TRACE(count);
    const Accuracy sampled = measure_accuracy(s.data, s.queries, s.neighbors, {.sample = count});
    EXPECT_EQ(sampled.judged, rows.queries);
    expect_equal(sampled, measure_accuracy(s.data, queries, rows, {}));
  }
}

TEST(Accuracy, ASampleIsOfTheValidQueries) {
  ResultWithErrors s;  // the queries of all rows with errors become invalid, so that those rows are not judged
  for (std::int64_t q = 0; q < 513; ++q)
    if (q % 4 != 0) std::get<0>(s.queries.coordinates)[q * 3 + q % 3] = q % 2 ? k_nan : HUGE_VALF;
  const std::int64_t valid = 129;
  for (const std::int64_t count : {1, 2, 100, 128, 129, 130, 513, 1000000}) {
    const Accuracy a = measure_accuracy(s.data, s.queries, s.neighbors, {.sample = count});
    EXPECT_EQ(a.judged, std::min(count, valid)) << count;
    EXPECT_EQ(a.all_correct, a.judged) << count;
  }
  Points nothing{3, Array<float>(513 * 3, k_nan)};
  EXPECT_EQ(measure_accuracy(s.data, nothing, s.neighbors, {.sample = 10}).judged, 0);
}

TEST(Accuracy, TheFiguresAreTheSameOnAnyNumberOfThreads) {
  const ResultWithErrors s;
  const Accuracy one = measure_accuracy(s.data, s.queries, s.neighbors, {.threads = 1});
  for (const int threads : {2, 3, 16})
    expect_equal(one, measure_accuracy(s.data, s.queries, s.neighbors, {.threads = threads}));
}

TEST(Accuracy, InvalidPointsAreLeftOutOnBothSides) {
  Coordinates data = uniform(40, 3, 1), queries = uniform(30, 3, 2);
  for (const int i : {0, 7, 39}) data[3 * i + i % 3] = i == 7 ? k_nan : -std::numeric_limits<float>::infinity();
  for (const int q : {3, 29}) queries[3 * q + 1] = k_nan;
  const Points d = to_points(data, 3), q = to_points(queries, 3);

  Neighbors neighbors = exact_answer(d, q, 40);  // of 37 points
  Accuracy a = measure_accuracy(d, q, neighbors, {});
  EXPECT_EQ(a.judged, 28);
  EXPECT_EQ(a.recall, 1);
  EXPECT_EQ(a.all_correct, 28);

  neighbors.ids[0] = 7;  // an invalid point as the nearest, in one row
  a = measure_accuracy(d, q, neighbors, {});
  EXPECT_EQ(a.recall, (28 * 37 - 1) / (28. * 37));
  EXPECT_EQ(a.all_correct, 27);

  a = measure_accuracy(d, d, exact_answer(d, d, 40, true), {.self_query = true});
  EXPECT_EQ(a.judged, 37);
  EXPECT_EQ(a.recall, 1);
}

TEST(Accuracy, CoordinatesFarFromOneNeitherOverflowNorVanish) {
  const Coordinates data = uniform(200, 3, 1), queries = uniform(50, 3, 2);
  const Neighbors all = exact_answer(doubles(data, 3), doubles(queries, 3), 200);
  for (const double scale : {1e-320, 1e-200, 1e200, 1.7e308}) {
    SCOPED_TRACE(scale);
    Neighbors neighbors{50, 5, {}, {}};
    for (std::int64_t q = 0; q < 50; ++q)
      for (std::int64_t r = 0; r < 5; ++r) {
        neighbors.ids.push_back(all.ids[q * 200 + (r == 4 ? 199 : r)]);  // the last is the farthest of all
        neighbors.distances.push_back(static_cast<float>(all.distances[q * 200 + r] * scale));
      }
    const Accuracy a = measure_accuracy(doubles(data, 3, scale), doubles(queries, 3, scale), neighbors, {});
    EXPECT_EQ(a.recall, 0.8);
    EXPECT_TRUE(std::isfinite(a.distance_ratio));
  }
}

// Every query is as far from all points as from the k-th: quadratic work would take minutes.
TEST(Accuracy, EqualPointsTakeNoQuadraticWork) {
  constexpr std::int64_t n = 100000, k = 8;
  const Points data = to_points(identical(n, 3, 0), 3);
  const Points away = to_points(make_cloud(n, 3, [](auto, int) { return 9.0; }), 3);
  for (const bool self : {true, false}) {
    Neighbors neighbors{n, k, {}, {}};
    for (std::int64_t i = 0; i < n * k; ++i) {
      neighbors.ids.push_back(static_cast<std::int32_t>((i / k + i % k + 1) % n));
      neighbors.distances.push_back(self ? 0.0f : std::sqrt(7.5f * 7.5f + 6.5f * 6.5f + 5.5f * 5.5f));
    }
    const Accuracy a = measure_accuracy(data, self ? data : away, neighbors, {.self_query = self});
    EXPECT_EQ(a.recall, 1);
    EXPECT_NEAR(a.distance_ratio, 1, 1e-6);
  }
}

/// A far point must not widen the tolerance of the others: coarse coordinates count as errors.
TEST(Accuracy, AFarPointDoesNotWidenTheToleranceOfOthers) {
  const Coordinates c = uniform(1000, 3, 5);
  Points cloud = doubles(c, 3);
  auto& coordinates = std::get<Array<double>>(cloud.coordinates);
  for (double& x : coordinates) x += 0.1;
  std::fill_n(coordinates.begin() + 1500, 3, 1e6);
  Points coarse = cloud;  // as rounded to float32 around the middle of the whole box
  for (double& x : std::get<Array<double>>(coarse.coordinates)) x = static_cast<float>(x - 5e5);
  EXPECT_GT(measure_accuracy(cloud, cloud, exact_answer(cloud, cloud, 8), {}).recall, 0.9999);
  EXPECT_LT(measure_accuracy(cloud, cloud, exact_answer(coarse, coarse, 8), {}).recall, 0.9);
}

TEST(Accuracy, NoExpectedNeighboursGiveRecall1) {
  const Points none{3, Array<float>()}, some = to_points(uniform(5, 3, 1), 3);
  for (const auto& [data, k] : {std::pair{&none, 3}, {&some, 0}}) {
    const Accuracy a = measure_accuracy(*data, some, exact_answer(*data, some, k), {});
    EXPECT_EQ(a.judged, 5);
    EXPECT_EQ(a.recall, 1);
    EXPECT_EQ(a.distance_ratio, 1);
    EXPECT_EQ(a.all_correct, 5);
  }
  EXPECT_EQ(measure_accuracy(some, none, exact_answer(some, none, 3), {}).judged, 0);
}

TEST(Accuracy, ShapesThatDoNotMatchAreRefused) {
  const ResultWithErrors s;
  const auto kind_of = [&](const Points& data, const Points& queries, const Neighbors& neighbors,
                           const AccuracyOptions& options = {}) {
    try {
      measure_accuracy(data, queries, neighbors, options);
    } catch (const Error& error) {
      return error.exit_code();
    }
    return 0;
  };
  const auto changed = [&](auto change) {
    Neighbors n = s.neighbors;
    change(n);
    return kind_of(s.data, s.queries, n);
  };
  EXPECT_EQ(changed([](Neighbors&) {}), 0);
  EXPECT_EQ(changed([](Neighbors& n) { --n.queries; }), 3);
  EXPECT_EQ(changed([](Neighbors& n) { n.k = 7; }), 3);
  EXPECT_EQ(changed([](Neighbors& n) { n.k = -8; }), 3);
  EXPECT_EQ(changed([](Neighbors& n) { n.ids.pop_back(); }), 3);
  EXPECT_EQ(changed([](Neighbors& n) { n.distances.pop_back(); }), 3);
  EXPECT_EQ(changed([](Neighbors& n) { n.ids[100] = 700; }), 3);
  EXPECT_EQ(changed([](Neighbors& n) { n.ids[100] = -2; }), 3);
  EXPECT_EQ(kind_of(to_points(uniform(700, 2, 1), 2), s.queries, s.neighbors), 3);
  EXPECT_EQ(kind_of({4, Array<float>(8)}, {4, Array<float>(513 * 4)}, s.neighbors), 3);
  EXPECT_EQ(kind_of(s.data, s.queries, s.neighbors, {.self_query = true}), 3);
  EXPECT_EQ(kind_of(s.data, s.queries, s.neighbors, {.sample = -1}), 2);
}

}  // namespace
}  // namespace kann::test
