// The summary line and the details of --verbose, made from given facts.
#include "cli/report/summary.hpp"

#include <algorithm>

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

}  // namespace
}  // namespace kann::cli
