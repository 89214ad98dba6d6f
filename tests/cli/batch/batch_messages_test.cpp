// What a batch says: messages that name their job, counts, and the last line of the report.
#include <fstream>
#include <thread>

#include "batch_fixture.hpp"

namespace kann::test {
namespace {

/// What is said of a job names it: the line of the list, or its file of --query.
TEST_F(BatchTest, EveryLineNamesItsJob) {
  write_file("three.xyz", "0 0 0\n1 0 0\n0 1 0\n");
  write_file("jobs.tsv", "# two jobs\nm.xyz\ta.xyz\nthree.xyz\tb.xyz\n");
  const Outcome list = succeeds("--jobs jobs.tsv -k 8 -v");
  const Outcome queries = kann("three.xyz a.xyz nope.xyz --force -k 8");
  for (const std::string begin : {"jobs.tsv:2: 40 queries x 8", "warning: jobs.tsv:3: k=8 but three.xyz has 3 points",
                                  "jobs.tsv:3: 50 queries x 8", "jobs.tsv:3: steps: "})
    EXPECT_TRUE(has(list.err, "kann: " + begin));
  for (const std::string begin : {"warning: a.xyz: k=8 but three.xyz has 3 points", "a.xyz: 40 queries x 8",
                                  "error: nope.xyz: No such file or directory\n"})
    EXPECT_TRUE(has(queries.err, "kann: " + begin));
  // The data of a job, which its name does not say
  write_file("bad.tsv", "nope.xyz\ta.xyz\n");
  EXPECT_TRUE(
      begins(kann("--jobs bad.tsv --force").err, "kann: error: bad.tsv:1: nope.xyz: No such file or directory\n"));
}

/// A full disk under the report, or under standard output: each job is in a count, and what is done is on the other.
TEST_F(BatchTest, CountsWhatCannotBeSaid) {
  const auto run_with = [&](const std::string& report, const Settings& settings) {
    return kann("m.xyz a.xyz b.xyz c.xyz --force --report " + report, settings);
  };
  const auto counts = [](const std::string& err) {
    int done = -1, left = 0;
    std::sscanf(last_line(err).c_str(), "kann: batch: %d done, 0 skipped, 0 failed, %d left", &done, &left);
    EXPECT_EQ(done + left, 3) << err;
    return done;
  };
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Outcome report = run_with("/dev/full", {});
    EXPECT_EQ(report.exit_code, 4);
    EXPECT_EQ(std::ranges::count(report.out, '\n'), counts(report.err));
    const Outcome out = run_with("r.jsonl", {.stdout_path = "/dev/full"});
    EXPECT_EQ(out.exit_code, 4);
    EXPECT_EQ(lines_of(read_file("r.jsonl")).size(), static_cast<std::size_t>(counts(out.err) + 1)) << out.err;
  }
}

/// Data that all jobs search are missed once.
TEST_F(BatchTest, MissingDataOfAllJobsAreOneError) {
  expect_refused("nope.xyz a.xyz b.xyz --force", 3, "nope.xyz: No such file or directory");
}

TEST_F(BatchTest, SaysThatFieldsAreSeparatedByTabs) {
  write_file("jobs.tsv", "m.xyz a.xyz\nm.xyz;b.xyz\nm x.xyz\n");
  write_file("m x.xyz", read_file("m.xyz"));
  const Outcome o = kann("--jobs jobs.tsv");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.out, "m x.knn.npz\n");
  for (const std::string line : {"1: m.xyz a.xyz", "2: m.xyz;b.xyz"})
    EXPECT_TRUE(
        has(o.err, "kann: error: jobs.tsv:" + line + ": no such file; the fields of a job are separated by tabs\n"));
}

/// A cloud in the place of a list is one error. One line that is a job makes it a list.
TEST_F(BatchTest, AListWithoutAJobIsOneError) {
  const auto said = [&](const std::string& list, const std::string& more) {
    write_file("list", list);
    return error_of("--jobs list " + more, 3);
  };
  const std::string rows = "x,y,z\n1,2,3\n4,5,6\n";
  EXPECT_EQ(said(rows, "--data m.xyz"),
            "kann: error: list:1: x,y,z: no such file; the fields of a job are separated by tabs; none of the 3 lines "
            "is a job\n");
  EXPECT_EQ(said("1\t2\t3\t4\n5\t6\t7\t8\n", ""),
            "kann: error: list:1: expected data<TAB>query<TAB>output, or a JSON object with these keys (got 4 fields); "
            "none of the 2 lines is a job\n");
  const std::string mixed = said(rows + "a.xyz\n", "--data m.xyz");
  EXPECT_FALSE(has(mixed, "none of"));
  EXPECT_EQ(std::ranges::count(mixed, '\n'), 5) << mixed;
}

/// A line per job, and one more that says how the batch ended.
TEST_F(BatchTest, TheReportEndsWithTheCounts) {
  const auto report_of = [&](const std::string& words) {
    kann(words + " --report r.jsonl --force");
    return lines_of(read_file("r.jsonl"));
  };
  const auto whole = report_of("m.xyz a.xyz b.xyz");
  ASSERT_EQ(whole.size(), 3u);
  for (const json& line : whole) EXPECT_NE(line.contains("job"), line.contains("batch"));
  EXPECT_EQ(whole[2]["batch"], json::parse(R"({"done":2,"skipped":0,"failed":0,"left":0,"ended_by":null})"));

  std::string list = "nope.xyz\tm.xyz\n";
  for (int i = 0; i < 200; ++i) list += "m.xyz\ta.xyz\to" + std::to_string(i) + ".npz\n";
  write_file("jobs.tsv", list);
  const auto failed = report_of("--jobs jobs.tsv --fail-fast");  // jobs that have begun are finished
  ASSERT_LT(failed.size(), 200u);
  EXPECT_FALSE(failed.back().contains("job"));
  EXPECT_EQ(failed.back()["query"], nullptr);
  const json& end = failed.back()["batch"];
  EXPECT_EQ(end["failed"], 1);
  EXPECT_EQ(end["done"].get<int>() + end["left"].get<int>(), 200);
  EXPECT_EQ(failed.size(), 2u + end["done"].get<std::size_t>());
  EXPECT_EQ(end["ended_by"], "failure");

  write_file("none.tsv", "");
  EXPECT_EQ(report_of("--jobs none.tsv").size(), 1u);
  const auto unchecked = report_of("--jobs none.tsv --verify");
  ASSERT_EQ(unchecked.size(), 1u);
  EXPECT_EQ(unchecked[0]["batch"]["ended_by"], "error");
  // Standard output has a line per job, and no more
  EXPECT_EQ(lines_of(kann("m.xyz a.xyz b.xyz --json --force").out).size(), 2u);
}

}  // namespace
}  // namespace kann::test
