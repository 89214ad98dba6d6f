// A sample of the queries says what all of them would, whatever pattern the wrong rows have.
#include <cmath>
#include <gtest/gtest.h>

#include "kann/accuracy.hpp"

#include "clouds.hpp"
#include "products/accuracy/exact_answer.hpp"

namespace kann::test {
namespace {

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
    const Accuracy other = measure_accuracy(two_points(), queries(), rows, {.sample = 1000, .threads = threads});
    EXPECT_EQ(other.recall, one.recall);
    EXPECT_EQ(other.first_different, one.first_different);
    EXPECT_EQ(other.distance_ratio, one.distance_ratio);
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
