// Batches: the same bytes as one call per job, whatever fails in between; messages that name their job, counts, and the
// last line of the report.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <utility>

#include "batch_fixture.hpp"

namespace kann::test {
namespace {

TEST_F(BatchTest, WritesTheBytesOfOneCallPerQuery) {
  for (const std::string options : {"", " --method shifted-sort --shifts 5 -k 9"}) {
    const Outcome o = succeeds("--data m.xyz --query a.xyz b.xyz --query c.xyz -o out/ --force" + options);
    EXPECT_EQ(sorted(o.out), "out/a.knn.npz\nout/b.knn.npz\nout/c.knn.npz\n");
    EXPECT_TRUE(ends_with_counts(o.err, "3 done, 0 skipped, 0 failed")) << o.err;
    for (const std::string name : {"a", "b", "c"})
      EXPECT_TRUE(read_file("out/" + name + ".knn.npz") == alone("m.xyz " + name + ".xyz" + options)) << name;
  }
}

TEST_F(BatchTest, WritesTheBytesOfOneCallPerPair) {
  write_file("jobs.tsv",
             "\xef\xbb\xbf# data\tquery\toutput\n"
             "  # another comment\n"
             "m.xyz\ta.xyz\t1.npz\n"
             "\n"
             "a.xyz\tb.xyz\t2.npz\r\n"
             "{\"data\": \"m.xyz\", \"query\": \"c.xyz\", \"output\": \"3.npz\"}\n"
             "m.xyz\t\t4.npz\n"
             "m.xyz\ta.xyz");
  EXPECT_EQ(sorted(succeeds("--jobs jobs.tsv").out), "1.npz\n2.npz\n3.npz\n4.npz\na.knn.npz\n");
  EXPECT_TRUE(read_file("1.npz") == alone("m.xyz a.xyz"));
  EXPECT_TRUE(read_file("2.npz") == alone("a.xyz b.xyz"));
  EXPECT_TRUE(read_file("3.npz") == alone("m.xyz c.xyz"));
  EXPECT_TRUE(read_file("4.npz") == alone("m.xyz"));
  EXPECT_TRUE(read_file("a.knn.npz") == read_file("1.npz"));
}

TEST_F(BatchTest, OutputsAreAFolderOrAPattern) {
  EXPECT_EQ(sorted(kann("m.xyz a.xyz b.xyz").out), "a.knn.npz\nb.knn.npz\n");
  EXPECT_EQ(sorted(kann("m.xyz a.xyz b.xyz -o {index}-{name}.csv").out), "1-a.xyz.csv\n2-b.xyz.csv\n");
  std::filesystem::create_directory(path("there"));
  EXPECT_EQ(sorted(kann("m.xyz a.xyz b.xyz -o there --output-format tsv").out), "there/a.knn.tsv\nthere/b.knn.tsv\n");
  EXPECT_EQ(kann("m.xyz a.xyz -o new/deep/").out, "new/deep/a.knn.npz\n");
  EXPECT_EQ(kann("m.xyz a.xyz -o {stem}_{stem}.npz").out, "a_a.npz\n");
  EXPECT_EQ(kann("m.xyz a.xyz -o {{stem}}.npz").out, "{stem}.npz\n");
  EXPECT_EQ(sorted(kann("m.xyz a.xyz b.xyz -o of/{index}/").out), "of/1/a.knn.npz\nof/2/b.knn.npz\n");
  EXPECT_EQ(sorted(kann("m.xyz a.xyz b.xyz -o of/{stem}/nn.csv").out), "of/a/nn.csv\nof/b/nn.csv\n");
}

TEST_F(BatchTest, GoesOnPastFailures) {
  write_file("bad.xyz", "1 2 3\n4 5 x\n");
  write_file("jobs.tsv",
             "m.xyz\ta.xyz\t1.npz\n"
             "m.xyz\tnope.xyz\t2.npz\n"
             "1\t2\t3\t4\n"
             "m.xyz\tbad.xyz\t4.npz\n"
             "m.xyz\tb.xyz\t5.jpg\n"
             "m.xyz\tb.xyz\t6.npz\n");
  const Outcome o = kann("--jobs jobs.tsv --report r.jsonl");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(sorted(o.out), "1.npz\n6.npz\n");
  for (const std::string line : {"kann: error: jobs.tsv:2: nope.xyz: No such file or directory\n",
                                 "kann: error: jobs.tsv:3: expected data<TAB>query<TAB>output, or a JSON object with "
                                 "these keys (got 4 fields)\n",
                                 "kann: error: jobs.tsv:4: bad.xyz:2: column 3 is not a number: 'x'\n",
                                 "kann: error: jobs.tsv:5: 5.jpg: unknown output format"})
    EXPECT_TRUE(has(o.err, line));
  EXPECT_TRUE(ends_with_counts(o.err, "2 done, 0 skipped, 4 failed")) << o.err;
  EXPECT_TRUE(read_file("6.npz") == alone("m.xyz b.xyz"));
  EXPECT_EQ(files(), (Names{"1.npz", "6.npz", "a.xyz", "b.xyz", "bad.xyz", "c.xyz", "jobs.tsv", "m.xyz", "r.jsonl"}));

  auto lines = lines_of(read_file("r.jsonl"));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[6]["batch"]["failed"], 4);
  std::ranges::sort(lines.begin(), lines.end() - 1, {}, [](const json& line) { return line["job"].get<int>(); });
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_FALSE(lines[i].contains("batch"));
    EXPECT_EQ(lines[i]["job"], i + 1);
    EXPECT_EQ(lines[i].contains("error"), i != 0 && i != 5);
  }
  EXPECT_EQ(lines[1]["error"]["exit_code"], 3);
  EXPECT_EQ(lines[5]["output"]["path"], "6.npz");
}

TEST_F(BatchTest, MakesTheFoldersOfAList) {
  write_file("jobs.tsv", "m.xyz\ta.xyz\tnew/deep/a.npz\nm.xyz\tb.xyz\tnew/b.csv\nm.xyz\ta.xyz\ta.xyz/c.npz\n");
  const Outcome o = kann("--jobs jobs.tsv");
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_EQ(sorted(o.out), "new/b.csv\nnew/deep/a.npz\n");
  EXPECT_TRUE(has(o.err, "kann: error: jobs.tsv:3: a.xyz: Not a directory\n"));
}

/// A FIFO can be read once: all jobs search what it gave.
TEST_F(BatchTest, DataMayComeFromAFifo) {
  succeeds("m.xyz b.xyz -o want.bin");
  ASSERT_EQ(mkfifo(path("map.xyz").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path("map.xyz")) << read_file("m.xyz"); });
  const Outcome o = kann("map.xyz a.xyz b.xyz c.xyz -o {stem}.bin");
  writer.join();
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(read_file("b.bin") == read_file("want.bin"));
}

/// The exit code is that of the first failure, in the order of the jobs.
TEST_F(BatchTest, EndsAtTheFirstFailureIfAsked) {
  write_file("3.npz", "there");
  write_file(
      "jobs.tsv", "m.xyz\ta.xyz\t1.npz\nm.xyz\tnope.xyz\t2.npz\nm.xyz\ta.xyz\t3.npz\n" + [] {
        std::string more;
        for (int i = 4; i < 40; ++i) more += "m.xyz\tb.xyz\t" + std::to_string(i) + ".npz\n";
        return more;
      }());
  EXPECT_TRUE(has(last_line(error_of("--jobs jobs.tsv --fail-fast", 3)), " left in "));
  EXPECT_FALSE(std::filesystem::exists(path("39.npz")));
  error_of("--jobs jobs.tsv --skip-existing", 3);
  EXPECT_TRUE(std::filesystem::exists(path("39.npz")));
}

TEST_F(BatchTest, SkipsWhatExists) {
  const std::string words = "m.xyz a.xyz b.xyz -o out/ --skip-existing";
  succeeds("m.xyz a.xyz -o out/");
  const auto written = std::filesystem::last_write_time(path("out/a.knn.npz"));
  const Outcome o = succeeds(words);
  EXPECT_EQ(sorted(o.out), "out/a.knn.npz\nout/b.knn.npz\n");
  EXPECT_TRUE(ends_with_counts(o.err, "1 done, 1 skipped, 0 failed")) << o.err;
  EXPECT_EQ(std::filesystem::last_write_time(path("out/a.knn.npz")), written);
  const auto lines = lines_of(kann(words + " --json").out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["skipped"], true);
  EXPECT_EQ(lines[1]["skipped"], true);
  const Outcome single = succeeds("m.xyz a.xyz -o out/a.knn.npz --skip-existing");
  EXPECT_EQ(single.err, "kann: out/a.knn.npz exists; skipped\n");
  EXPECT_EQ(single.out, "out/a.knn.npz\n");
}

TEST_F(BatchTest, RefusesBeforeTheWork) {
  std::filesystem::create_directory(path("d"));
  write_cloud("d/a.xyz", 9, 5);
  write_file("same.tsv", "m.xyz\ta.xyz\tx.npz\nm.xyz\tb.xyz\td/../x.npz\n");
  write_file("input.tsv", "m.xyz\ta.xyz\tx.npz\nm.xyz\tb.xyz\td/../c.xyz\nm.xyz\tc.xyz\ty.npz\n");
  const auto expect = [&](const std::string& words, const std::string& message) { expect_refused(words, 2, message); };
  expect("m.xyz a.xyz d/a.xyz",
         "d/a.xyz: a.knn.npz is the output of a.xyz, too; choose another --output, such as '{index}.npz'");
  for (const auto& [option, word] : {std::pair{"--html", "page"}, {"--report", "report"}}) {
    const std::string message = fmt::format(
        "b.xyz: b.html is the {} of the batch, too; choose another --output, such as '{{index}}.npz'", word);
    EXPECT_EQ(error_of(std::string("m.xyz a.xyz b.xyz -o {stem}.html --output-format csv ") + option + " b.html", 2),
              "kann: error: " + message + "\n");
    std::filesystem::remove(path("b.html"));  // it tells of the failure
  }
  expect("m.xyz a.xyz b.xyz --report d/../b.xyz --force",
         "d/../b.xyz: is an input of the batch; choose another --report");
  expect("--jobs same.tsv", "same.tsv:2: d/../x.npz is the output of same.tsv:1, too");
  expect("m.xyz a.xyz b.xyz -o x.npz",
         "--output x.npz is one file for many results; give a folder (out/) or a pattern ({stem}.npz)");
  expect("m.xyz a.xyz b.xyz -o - --output-format csv",
         "a batch writes no result to standard output; give a folder or a pattern");
  expect("m.xyz a.xyz - --query-format xyz", "a batch reads no cloud from standard input; give files");
  expect("m.xyz a.xyz b.xyz --compare x.npz",
         "--compare x.npz is one file for many results; give a pattern ({stem}.npz)");
  expect("--jobs same.tsv --query a.xyz", "--jobs does not go with --query: the list names the queries");
  expect("m.xyz a.xyz b.xyz -o {idx}.npz",
         "{idx}.npz: unknown placeholder '{idx}'; there are {stem}, {name}, {data} and {index}, and {{ stands for a "
         "brace");
  expect("m.xyz a.xyz b.xyz -o {{stem}}.npz",
         "--output {{stem}}.npz is one file for many results; give a folder (out/) or a pattern ({stem}.npz)");
  expect("m.xyz a.xyz b.xyz --compare {steam}.npz",
         "{steam}.npz: unknown placeholder '{steam}'; did you mean '{stem}'?");
  expect(
      "m.xyz a.xyz b.xyz -o {stem}.jpg",
      "a.jpg: unknown output format (got extension '.jpg', need .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs, "
      ".fbin, .mtx, .ply, .las or .laz); --output-format names it, cloud-csv for a cloud as text");
}

/// Also by another path, and whatever its extension.
TEST_F(BatchTest, NeverReplacesAnInputOfAnotherJob) {
  write_file("input.tsv", "m.xyz\ta.xyz\tx.npz\nm.xyz\tb.xyz\t./c.csv\nm.xyz\tc.csv\ty.npz\n");
  std::filesystem::rename(path("c.xyz"), path("c.csv"));
  expect_refused("--jobs input.tsv --force", 2, "input.tsv:2: c.csv is an input of the batch, and would be its output");
}

TEST_F(BatchTest, AMissingListIsBadInput) {
  expect_refused("--jobs nope.tsv", 3, "nope.tsv: No such file or directory");
  write_file("empty.tsv", "");
  const Outcome empty = succeeds("--jobs empty.tsv");
  EXPECT_TRUE(ends_with_counts(empty.err, "0 done, 0 skipped, 0 failed")) << empty.err;
  const std::string checked = error_of("--jobs empty.tsv --min-recall 0.9", 1);
  EXPECT_TRUE(has(checked, "kann: error: nothing could be checked: the batch has no job\n"));
}

/// A line that is too long is passed over, and no line needs a newline at the end of the list.
TEST_F(BatchTest, PassesOverALongLine) {
  for (const std::string end : {"", "\n"}) {
    write_file("jobs.tsv", std::string(std::size_t{3} << 20, 'x') + "\nm.xyz\ta.xyz\tx.npz\n" +
                               std::string(std::size_t{2} << 20, 'y') + end);
    const Outcome o = kann("--jobs jobs.tsv --force");
    EXPECT_EQ(o.exit_code, 3);
    EXPECT_EQ(o.out, "x.npz\n");
    EXPECT_TRUE(begins(o.err, "kann: error: jobs.tsv:1: is longer than 1 MiB\n"));
    EXPECT_TRUE(has(o.err, "kann: error: jobs.tsv:3: is longer than 1 MiB\n"));
  }
}

/// A pair of which a killed run has left one half.
TEST_F(BatchTest, ResumesHalfAPair) {
  const std::string words = "m.xyz a.xyz b.xyz -o out/ --output-format npy --skip-existing";
  succeeds(words);
  const std::string ids = read_file("out/a.knn.npy");
  std::filesystem::remove(path("out/a.knn.npy"));
  const Outcome o = succeeds(words);
  EXPECT_TRUE(ends_with_counts(o.err, "1 done, 1 skipped, 0 failed")) << o.err;
  EXPECT_TRUE(read_file("out/a.knn.npy") == ids);
}

/// No run leaves the ids without the distances, so they are somebody else's.
TEST_F(BatchTest, DoesNotReplaceAnArrayThatIsNoHalfOfAPair) {
  write_file("mine.npy", "mine");
  expect_refused("m.xyz a.xyz -o mine.npy --skip-existing", 2, "mine.npy: File exists; use --force to replace it");
}

TEST_F(BatchTest, ComparesEachJobWithItsOwn) {
  const std::string words = "m.xyz a.xyz b.xyz --exact";
  succeeds(words + " -o truth/");
  const Outcome o = succeeds(words + " -o now/ --compare truth/{stem}.knn.npz --min-recall 1");
  EXPECT_TRUE(has(o.err, "kann: b.xyz: compare: 50 of 50 queries against truth/b.knn.npz"));
}

TEST_F(BatchTest, JudgesEveryJob) {
  const Outcome o = kann("m.xyz a.xyz b.xyz --method shifted-sort --window 1 --min-recall 0.999");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_TRUE(ends_with_counts(o.err, "0 done, 0 skipped, 2 failed")) << o.err;
  EXPECT_EQ(sorted(o.out), "a.knn.npz\nb.knn.npz\n");  // they are whole
  EXPECT_TRUE(has(succeeds("m.xyz a.xyz b.xyz --force --exact --verify").err, "kann: b.xyz: verify: 50 of 50 queries"));
}

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
