// measure_accuracy() returns the exact recall of results whose errors are known.
#include "kann/accuracy.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <thread>

#include "kann/error.hpp"

#include "clouds.hpp"
#include "products/accuracy/exact_answer.hpp"

namespace kann::test {
namespace {

void expect_equal(const Accuracy& a, const Accuracy& b) {
  EXPECT_EQ(a.judged, b.judged);
  EXPECT_EQ(a.recall, b.recall);
  EXPECT_EQ(a.distance_ratio, b.distance_ratio);
  EXPECT_EQ(a.all_correct, b.all_correct);
  EXPECT_EQ(a.identical, b.identical);
  EXPECT_EQ(a.first_different, b.first_different);
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
            EXPECT_EQ(a.expected, queries.size() * std::min(k, n - (self && !include_self && n > 0)));
            EXPECT_EQ(a.recall == 1, a.expected > 0);
            EXPECT_EQ(std::isnan(a.recall), a.expected == 0);
            EXPECT_EQ(a.all_correct, queries.size());
            EXPECT_EQ(a.identical, queries.size());
            EXPECT_NEAR(a.distance_ratio, 1, 1e-7);
          }
}

TEST(Accuracy, WrongRepeatedAndMissingNeighboursDoNotCount) {
  const ResultWithErrors s;
  const Accuracy a = measure_accuracy(s.data, s.queries, s.neighbors, {});
  EXPECT_EQ(a.judged, 513);
  EXPECT_EQ(a.recall, static_cast<double>(s.right) / (513 * 8));
  EXPECT_EQ(a.all_correct, s.all_correct);
  EXPECT_EQ(a.identical, s.all_correct);
  EXPECT_EQ(a.first_different, 1);
  EXPECT_EQ(a.faulty, 513 - s.all_correct);
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

// A NaN passes no comparison with a minimum.
TEST(Accuracy, WithoutExpectedNeighboursThereIsNoRecall) {
  const Points none{3, Array<float>()}, some = to_points(uniform(5, 3, 1), 3), one = to_points(uniform(1, 3, 2), 3);
  const Points invalid{3, Array<float>(15, k_nan)};
  const auto judge = [](const Points& data, const Points& queries, std::int64_t k, bool self = false) {
    return measure_accuracy(data, queries, exact_answer(data, queries, k, self), {.self_query = self});
  };
  for (const auto& [a, judged] : {std::pair{judge(none, some, 3), 5},
                                  {judge(invalid, some, 3), 5},
                                  {judge(some, some, 0), 5},
                                  {judge(one, one, 3, true), 1},
                                  {judge(some, none, 3), 0},
                                  {judge(some, invalid, 3), 0}}) {
    EXPECT_EQ(a.judged, judged);
    EXPECT_EQ(a.expected, 0);
    EXPECT_TRUE(std::isnan(a.recall));
    EXPECT_EQ(a.distance_ratio, 1);
    EXPECT_EQ(a.all_correct, judged);
    EXPECT_EQ(a.faulty, 0);
  }
}

TEST(Accuracy, ProgressIsToldOnTheCallingThread) {
  const ResultWithErrors s;
  for (const std::int64_t sample : {0, 100})
    for (const int threads : {1, 3}) {
      double last = 0;
      int calls = 0;
      bool elsewhere = false;
      measure_accuracy(
          s.data, s.queries, s.neighbors,
          {.sample = sample, .threads = threads, .on_progress = [&, caller = std::this_thread::get_id()](double f) {
             elsewhere |= std::this_thread::get_id() != caller;
             EXPECT_GT(f, last);
             EXPECT_LE(f, 1);
             last = f;
             ++calls;
           }});
      EXPECT_FALSE(elsewhere);
      if (threads > 1) continue;  // the calling thread may have had no chunk, or not the last
      EXPECT_GE(calls, 3);
      EXPECT_EQ(last, 1);
    }
  EXPECT_THROW(measure_accuracy(s.data, s.queries, s.neighbors,
                                {.threads = 1, .on_progress = [](double) { throw Error(ErrorKind::internal, "x"); }}),
               Error);
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
