// What measure_accuracy() and compare() say, compared with each other and with what they should say.
#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "kann/accuracy.hpp"
#include "kann/compare.hpp"

namespace kann::test {

inline void expect_same_number(double got, double want, const std::string& what) {
  EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want))) << what << ": " << got << " instead of " << want;
}

/// But for faults, which may be looked for in other rows.
inline void expect_same_verdict(const Accuracy& got, const Accuracy& want, const std::string& what = "") {
  EXPECT_EQ(got.judged, want.judged) << what;
  EXPECT_EQ(got.expected, want.expected) << what;
  expect_same_number(got.recall, want.recall, what);
  expect_same_number(got.distance_ratio, want.distance_ratio, what);
  EXPECT_EQ(got.all_correct, want.all_correct) << what;
  EXPECT_EQ(got.identical, want.identical) << what;
  EXPECT_EQ(got.first_different, want.first_different) << what;
  EXPECT_EQ(got.nearer, want.nearer) << what;
  EXPECT_EQ(got.first_nearer, want.first_nearer) << what;
}

inline void expect_same(const Accuracy& got, const Accuracy& want, const std::string& what = "") {
  expect_same_verdict(got, want, what);
  EXPECT_EQ(got.faulty, want.faulty) << what;
  EXPECT_EQ(got.first_faulty, want.first_faulty) << what;
  EXPECT_EQ(got.first_fault, want.first_fault) << what;
}

/// The rows are right to the last id, judged by the points, and compared with themselves. Returns what the first says.
inline Accuracy expect_identical(const Points& data, const Points& queries, const Neighbors& rows,
                                 const AccuracyOptions& options) {
  const Accuracy alone = measure_accuracy(data, queries, rows, options),
                 compared = compare(data, queries, rows, rows, options);
  std::int64_t valid = 0;
  for (std::int64_t q = 0; q < queries.size(); ++q) valid += PointsView(queries).is_finite(q);
  for (const Accuracy& a : {alone, compared}) {
    EXPECT_EQ(a.judged, valid);
    EXPECT_EQ(a.identical, valid);
    EXPECT_EQ(a.first_different, -1);
    EXPECT_EQ(a.all_correct, valid);
    EXPECT_EQ(a.expected, alone.expected);
    EXPECT_TRUE(a.expected == 0 ? std::isnan(a.recall) : a.recall == 1) << a.recall;
    EXPECT_EQ(a.faulty, 0) << "row " << a.first_faulty << ", " << a.first_fault;
  }
  return alone;
}

}  // namespace kann::test
