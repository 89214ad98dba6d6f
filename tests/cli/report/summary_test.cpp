// What is said of a run, made from given facts: the summary line, the details of --verbose, and which results pass the
// checks that were asked for.
#include "cli/report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/report/verdict.hpp"
#include "gtest/gtest.h"

namespace kann::cli {
namespace {

Report approximate() {
  Report r;
  r.read_seconds = 0.25;
  r.write_seconds = 0.5;
  r.search.emplace();
  r.search->device = {"CPU", DeviceKind::cpu, 2, 0};
  r.search->data_points = 1000;
  r.search->query_points = 20000;
  r.search->method = Method::shifted_sort;
  r.search->shifts = 3;
  r.search->window = 20;
  r.search->sample = {1024, 0.97856};
  r.search->total_seconds = 0.125;
  return r;
}

Report exact() {
  Report r = approximate();
  r.search->method = Method::exact;
  r.search->shifts = 0;
  r.search->window = 0;
  r.search->sample = {};
  return r;
}

const std::string k_plain =
    "20000 queries x 8 neighbours among 1000 points on CPU (2 threads): read 250 ms, search 125 ms, write 500 ms";

std::string method_line(const Report& report) {
  for (const std::string& line : detail_lines(*report.search))
    if (line.starts_with("method: ")) return line.substr(8);
  return "";
}

TEST(Summary, HasTheRecallOfAnApproximateAnswer) {
  EXPECT_EQ(summary_line({}, approximate()), k_plain + "; approximate, recall 0.9786 (1024 queries sampled)");
  Report one = approximate();
  one.search->sample = {1, 1.0};
  EXPECT_EQ(summary_line({}, one), k_plain + "; approximate, recall 1.0000 (1 query sampled)");
}

TEST(Summary, SaysTheShareOfASlowDisk) {
  Report r = exact();
  r.sync_seconds = 0.375;
  std::string slow = k_plain;
  slow.replace(slow.find("write 500 ms"), std::string::npos, "write 500 ms (375 ms of it the disk)");
  EXPECT_EQ(summary_line({}, r), slow + "; exact");
  r.sync_seconds = 0.12;  // not a quarter
  EXPECT_EQ(summary_line({}, r), k_plain + "; exact");
  r.write_seconds = r.sync_seconds = 0.09;  // not felt
  EXPECT_EQ(summary_line({}, r).find("disk"), std::string::npos);
}

TEST(Summary, SaysWhichAnswerItIsWithoutARecall) {
  Report nothing = approximate();
  nothing.search->sample = {7, {}};
  EXPECT_EQ(summary_line({}, nothing), k_plain + "; approximate");
  EXPECT_EQ(summary_line({}, exact()), k_plain + "; exact");
}

TEST(Summary, CountsSkippedPointsAndNamesTheDevice) {
  Report r = exact();
  r.search->data_skipped = 3;
  r.search->query_skipped = 4;
  r.search->device = {"Some GPU", DeviceKind::cuda, 0, 1'000'000};
  EXPECT_EQ(summary_line({}, r),
            "20000 queries x 8 neighbours among 1000 points (3 points and 4 queries skipped as invalid) on Some GPU: "
            "read 250 ms, search 125 ms, write 500 ms; exact");
}

TEST(Summary, HasOneOfEach) {
  Report r = exact();
  r.search->query_points = r.search->data_points = 1;
  r.search->data_skipped = r.search->query_skipped = 1;
  Options options;
  options.search.k = 1;
  const std::string expected = "1 query x 1 neighbour among 1 point (1 point and 1 query skipped as invalid) on ";
  EXPECT_EQ(summary_line(options, r).substr(0, expected.size()), expected);
}

TEST(Summary, SaysWhereTheTimeOfTilesWent) {
  flow::FileSearchReport report;
  report.tiles = 12;
  report.visits = 1;
  report.survey_seconds = .5;
  report.order_seconds = 2;
  report.search_seconds = 90;
  report.temporary_bytes = 9'184'739'328;
  report.last.steps.upload = .5;
  report.last.steps.select = 1;  // of clusters on a GPU, whose parts are not known
  report.charged_bytes = 3.1e9;
  report.budget_bytes = 4e9;
  EXPECT_EQ(tiles_line(report),
            "in 12 tiles, 1 visit: survey 500 ms, order 2.00 s, search 90.0 s (the most); temporary files 9.18 GB; "
            "memory 3.1 GB of 4 GB");
  report.tiles = 1;
  report.pieces = 3;
  report.points_seconds = .25;
  report.temporary_bytes = 0;
  EXPECT_EQ(tiles_line(report),
            "in 3 pieces: survey 500 ms, order 2.00 s, points 250 ms, neighbours 1.50 s, rows 88.2 s (the most); "
            "temporary files 0 bytes; memory 3.1 GB of 4 GB");
}

TEST(Summary, DetailsNameTheMethodAndItsParameters) {
  Report r = approximate();
  EXPECT_EQ(method_line(r), "shifted-sort, 3 shifts, window 20");
  r.search->method = Method::paper;
  EXPECT_EQ(method_line(r), "paper, 3 shifts, window 20");
  EXPECT_EQ(method_line(exact()), "exact");
}

TEST(Summary, StepsOfAnApproximateSearchEndWithItsSample) {
  Report r = approximate();
  r.search->steps.sample = 0.25;
  EXPECT_TRUE(detail_lines(*r.search).back().ends_with(", rows 0 ms, sample 250 ms")) << detail_lines(*r.search).back();
}

TEST(Summary, DetailsNameTheReasonAndTheStepsOfTheDevice) {
  Report r = exact();
  r.search->device_reason = "no CUDA device (none)";
  r.search->steps.boxes = 0.0625;
  const auto cpu = detail_lines(*r.search);
  EXPECT_EQ(cpu.front(), "--device auto took the CPU: no CUDA device (none)");
  EXPECT_EQ(cpu.back(), "steps: prepare 0 ms, encode 0 ms, sort 0 ms, rank 0 ms, boxes 62 ms, select 0 ms, rows 0 ms");
  r.search->device = {"Some GPU", DeviceKind::cuda, 0, 1'000'000};
  r.search->start_up_seconds = 0.5;
  r.search->steps.start_up = 0.25;
  const auto cuda = detail_lines(*r.search);
  EXPECT_EQ(cuda.back(), "CUDA took 500 ms to start, of which the search waited 250 ms");
  EXPECT_NE(cuda[cuda.size() - 2].find("rows 0 ms, download 0 ms"), std::string::npos);
  EXPECT_EQ(cuda.front(), "--device auto took the CUDA device: no CUDA device (none)");
}

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
