// Which results pass the checks that were asked for, and what is said of the others.
#include "cli/report/verdict.hpp"

#include <cmath>
#include <cstdlib>

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

Options with(std::optional<double> min_recall, Method method = Method::shifted_sort) {
  Options o;
  o.verify = true;
  o.min_recall = min_recall;
  o.search.method = method;
  return o;
}

Accuracy good() { return {.judged = 200, .expected = 1600, .recall = 1, .all_correct = 200, .identical = 200}; }

const Options k_no_options = with({}), k_minimum = with(0.97), k_exact = with({}, Method::exact),
              k_exact_minimum = with(0.5, Method::exact);

TEST(Verdict, AGoodResultPasses) {
  for (const Options& o : {k_no_options, k_minimum, k_exact, k_exact_minimum}) {
    EXPECT_EQ(failed_check(o, good()), std::nullopt);
    EXPECT_EQ(verify_warning(o, good()), std::nullopt);
  }
}

TEST(Verdict, ALineNamesTheMethodThatWasJudged) {
  const Accuracy a{.judged = 10000,
                   .expected = 80000,
                   .recall = 0.9731,
                   .distance_ratio = 1.0012,
                   .all_correct = 8112,
                   .identical = 8110};
  for (const auto& [method, name] :
       {std::pair{Method::exact, "exact"}, {Method::shifted_sort, "shifted-sort"}, {Method::paper, "paper"}}) {
    const std::string found = ": recall 0.9731, mean distance ratio 1.0012, 8112 all-correct, 8110 identical; method ";
    Options o = with({}, method);
    EXPECT_EQ(verify_line(o, a, 1048576),
              "verify: 10000 of 1048576 queries against exact rows (double)" + found + name);
    o.compare = "truth.ivecs";
    EXPECT_EQ(compare_line(o, {.accuracy = a, .queries = 10000, .k = 100}),
              "compare: 10000 of 10000 queries against truth.ivecs (k 8 of 100)" + found + name);
  }
}

TEST(Verdict, TheMinimumIsInclusive) {
  Accuracy a = good();
  a.recall = 0.97;
  a.identical = a.all_correct = 150;
  EXPECT_EQ(failed_check(k_minimum, a), std::nullopt);
  a.recall = std::nextafter(0.97, 0);
  EXPECT_EQ(failed_check(k_minimum, a), "recall 0.9699999999999999 is below --min-recall 0.97");
  EXPECT_EQ(failed_check(k_no_options, a), std::nullopt);
  EXPECT_EQ(verify_warning(k_no_options, a), std::nullopt);
}

TEST(Verdict, AnExactResultHasTheIdsOfBruteForce) {
  Accuracy a = good();
  a.identical = 197;
  a.first_different = 17;
  for (const Options& o : {k_exact, k_exact_minimum})
    EXPECT_EQ(failed_check(o, a), "--verify: 3 of 200 rows do not have the ids of brute force (first: row 17)");
  EXPECT_EQ(failed_check(k_minimum, a), std::nullopt);  // ties
}

TEST(Verdict, NothingCheckedPassesNoCheck) {
  for (const std::int64_t judged : {0, 5}) {
    const Accuracy a{.judged = judged, .all_correct = judged, .identical = judged};
    const std::string reason =
        std::string("nothing could be checked: ") +
        (judged ? "no query has a point that could be its neighbour" : "there is no valid query");
    for (const Method method : {Method::exact, Method::shifted_sort})
      EXPECT_EQ(failed_check(with(0.0, method), a), "--min-recall: " + reason);
    EXPECT_EQ(failed_check(k_exact, a), "--verify: " + reason);
    EXPECT_EQ(failed_check(k_no_options, a), std::nullopt);
    EXPECT_EQ(verify_warning(k_no_options, a), "--verify: " + reason);
    EXPECT_EQ(verify_warning(k_exact, a), std::nullopt);
  }
}

TEST(Verdict, AFaultyRowPassesNoCheck) {
  Accuracy a = good();
  a.faulty = 2;
  a.first_faulty = 7;
  a.first_fault = "rank 1: id 3 is repeated";
  const std::string fault = "2 rows are faulty (first: row 7, rank 1: id 3 is repeated)";
  EXPECT_EQ(failed_check(k_minimum, a), "--min-recall: " + fault);
  EXPECT_EQ(failed_check(k_exact, a), "--verify: " + fault);
  EXPECT_EQ(failed_check(k_no_options, a), std::nullopt);
  EXPECT_EQ(verify_warning(k_no_options, a), "--verify: " + fault + "; please report it");
  EXPECT_EQ(verify_warning(k_minimum, a), std::nullopt);
  a.faulty = 1;
  EXPECT_EQ(failed_check(k_minimum, a), "--min-recall: 1 row is faulty (first: row 7, rank 1: id 3 is repeated)");
}

TEST(Verdict, ARecallHasFourDecimalsUnlessTheyRoundToTheMinimum) {
  EXPECT_EQ(format_recall_below(0.998418774966711, 0.999), "0.9984");
  EXPECT_EQ(format_recall_below(0, 0.5), "0.0000");
  EXPECT_EQ(format_recall_below(0.99896, 0.999), "0.99896");
  EXPECT_EQ(format_recall_below(0.99999996, 1), "0.99999996");
  EXPECT_EQ(format_recall_below(0.95, 0.95004), "0.9500");
}

TEST(Verdict, ARecallReadsAsBelowTheMinimum) {
  for (const double minimum : {1.0, 0.999, 0.5, 0.1 + 0.2, 1e-12, 1e-300})
    EXPECT_LT(std::strtod(format_recall_below(std::nextafter(minimum, 0), minimum).c_str(), nullptr), minimum)
        << minimum;
}

}  // namespace
}  // namespace kann::cli
