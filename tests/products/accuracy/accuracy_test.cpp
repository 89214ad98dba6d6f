// measure_accuracy() returns the exact recall of results whose errors are known, and a sample of the queries says what
// all of them would, whatever pattern the wrong rows have.
#include "kann/accuracy.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <thread>

#include "kann/error.hpp"

#include "clouds.hpp"
#include "products/accuracy/exact_answer.hpp"
#include "products/accuracy/verdicts.hpp"

namespace kann::test {
namespace {

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
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {0, 1, 2, 4, 5, 6, 300})
        for (const std::int64_t k : {1, 5, 400})
          for (const bool exact : {false, true}) {
            SCOPED_TRACE(kind.name + " n=" + std::to_string(n) + " d=" + std::to_string(d) + " k=" + std::to_string(k));
            const Points data = to_points(kind.make(n, d, 1), d), queries = to_points(kind.make(65, d, 2), d);
            const Accuracy of_queries =
                expect_identical(data, queries, exact_answer(data, queries, k), {.exact = exact});
            EXPECT_EQ(of_queries.expected, 65 * std::min(k, n));
            EXPECT_NEAR(of_queries.distance_ratio, 1, 1e-7);
            for (const bool include_self : {false, true}) {
              const Neighbors rows = exact_answer(data, data, k, !include_self);
              const AccuracyOptions options{.self_query = true, .include_self = include_self, .exact = exact};
              EXPECT_EQ(expect_identical(data, data, rows, options).expected,
                        n * std::min(k, n - (include_self ? 0 : 1)));
            }
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
    expect_same(measure_accuracy(s.data, s.queries, s.neighbors, {.threads = threads}), one);
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

constexpr std::int64_t k_sampled_rows = 20000;

/// One point, the nearest of every query, and a farther one.
Points two_points() { return to_points(Coordinates{0, 0, 100, 0}, 2); }
Points queries() { return to_points(uniform(k_sampled_rows, 2, 3), 2); }

/// The right row of every query for which is_right(q); that of the farther point for the others.
Neighbors rows_where(const Points& queries, auto is_right) {
  Neighbors rows{queries.size(), 1, {}, {}};
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    rows.ids.push_back(is_right(q) ? 0 : 1);
    rows.distances.push_back(root(sq_distance(two_points(), rows.ids.back(), queries, q)));
  }
  return rows;
}

TEST(Sample, APeriodOfTheRowsCannotHide) {
  for (const std::int64_t period : {2, 3, 7, 64, 100, 1000})
    for (const std::int64_t right : {std::int64_t{1}, period / 2, period - 1})
      for (const std::int64_t sample : {500, 5000, 10000, 15000}) {
        const Neighbors rows = rows_where(queries(), [&](std::int64_t q) { return q % period < right; });
        const double true_recall = measure_accuracy(two_points(), queries(), rows, {}).recall;
        const Accuracy a = measure_accuracy(two_points(), queries(), rows, {.sample = sample});
        EXPECT_EQ(a.judged, sample);
        // Five standard deviations of a draw of single rows; a fixed stride would be off by up to 0.5.
        const double p = static_cast<double>(right) / static_cast<double>(period);
        EXPECT_NEAR(a.recall, true_recall, 5 * std::sqrt(p * (1 - p) / static_cast<double>(sample)) + 1e-12)
            << right << " of " << period << ", " << sample;
      }
}

TEST(Sample, EveryPartOfTheRowsIsJudged) {
  for (std::int64_t part = 0; part < 20; ++part) {
    const Neighbors rows = rows_where(queries(), [&](std::int64_t q) { return q / 1000 != part; });
    const Accuracy a = measure_accuracy(two_points(), queries(), rows, {.sample = 2000});
    EXPECT_NEAR(a.recall, 0.95, 0.02) << part;
    EXPECT_GE(a.first_different, part * 1000);
    EXPECT_LT(a.first_different, part * 1000 + 100);
  }
}

TEST(Sample, IsTheSameEveryTime) {
  const Neighbors rows = rows_where(queries(), [](std::int64_t q) { return q * q % 7 < 3; });
  const Accuracy one = measure_accuracy(two_points(), queries(), rows, {.sample = 1000, .threads = 1});
  for (const int threads : {1, 2, 5}) {
    const AccuracyOptions options{.sample = 1000, .threads = threads};
    expect_same(measure_accuracy(two_points(), queries(), rows, options), one);
  }
}

TEST(Sample, IsOfTheValidQueriesAndOfAllIfThereAreNoMore) {
  Points some = queries();
  std::int64_t valid = 0;
  for (std::int64_t q = 0; q < k_sampled_rows; ++q) {
    if (q % 3 != 0) std::get<0>(some.coordinates)[q * 2 + q % 2] = q % 2 ? std::nanf("") : HUGE_VALF;
    valid += q % 3 == 0;
  }
  Neighbors rows = rows_where(queries(), [](std::int64_t q) { return q % 3 == 0; });
  for (std::int64_t q = 0; q < k_sampled_rows; ++q)
    if (q % 3 != 0) rows.ids[q] = k_missing_id, rows.distances[q] = HUGE_VALF;
  for (const std::int64_t sample :
       {std::int64_t{1}, std::int64_t{2}, valid - 1, valid, valid + 1, k_sampled_rows, 1000 * k_sampled_rows}) {
    const Accuracy a = measure_accuracy(two_points(), some, rows, {.sample = sample});
    EXPECT_EQ(a.judged, std::min(sample, valid));
    EXPECT_EQ(a.identical, a.judged);
    EXPECT_EQ(a.faulty, 0) << a.first_fault;
  }
}

}  // namespace
}  // namespace kann::test
