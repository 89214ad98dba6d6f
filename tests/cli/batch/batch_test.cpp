// Batches: the same bytes as one call per job, whatever fails in between.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <utility>
#include <vector>

#include "batch_fixture.hpp"

namespace kann::test {
namespace {

TEST_F(BatchTest, WritesTheBytesOfOneCallPerQuery) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--method", "shifted-sort", "--shifts", "5", "-k", "9"}}) {
    std::vector<std::string> words = {"--data",  "m.xyz", "--query", "a.xyz", "b.xyz",
                                      "--query", "c.xyz", "-o",      "out/",  "--force"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome o = batch(words);
    EXPECT_EQ(o.exit_code, 0);
    EXPECT_EQ(sorted(o.out), "out/a.knn.npz\nout/b.knn.npz\nout/c.knn.npz\n");
    EXPECT_TRUE(ends_with_counts(o.err, "3 done, 0 skipped, 0 failed")) << o.err;
    for (const std::string name : {"a", "b", "c"})
      EXPECT_TRUE(read_file("out/" + name + ".knn.npz") == alone("m.xyz", name + ".xyz", options)) << name;
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
  const Outcome o = batch({"--jobs", "jobs.tsv"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(sorted(o.out), "1.npz\n2.npz\n3.npz\n4.npz\na.knn.npz\n");
  EXPECT_TRUE(read_file("1.npz") == alone("m.xyz", "a.xyz"));
  EXPECT_TRUE(read_file("2.npz") == alone("a.xyz", "b.xyz"));
  EXPECT_TRUE(read_file("3.npz") == alone("m.xyz", "c.xyz"));
  EXPECT_TRUE(read_file("4.npz") == alone("m.xyz", ""));
  EXPECT_TRUE(read_file("a.knn.npz") == read_file("1.npz"));
}

TEST_F(BatchTest, OutputsAreAFolderOrAPattern) {
  EXPECT_EQ(sorted(batch({"--data", "m.xyz", "--query", "a.xyz", "b.xyz"}).out), "a.knn.npz\nb.knn.npz\n");
  EXPECT_EQ(sorted(batch({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "{index}-{name}.csv"}).out),
            "1-a.xyz.csv\n2-b.xyz.csv\n");
  std::filesystem::create_directory(path("there"));
  EXPECT_EQ(
      sorted(batch({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "there", "--output-format", "tsv"}).out),
      "there/a.knn.tsv\nthere/b.knn.tsv\n");
  EXPECT_EQ(batch({"--data", "m.xyz", "--query", "a.xyz", "-o", "new/deep/"}).out, "new/deep/a.knn.npz\n");
  EXPECT_EQ(batch({"--data", "m.xyz", "--query", "a.xyz", "-o", "{stem}_{stem}.npz"}).out, "a_a.npz\n");
  EXPECT_EQ(batch({"--data", "m.xyz", "--query", "a.xyz", "-o", "{{stem}}.npz"}).out, "{stem}.npz\n");
  EXPECT_EQ(sorted(batch({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "of/{index}/"}).out),
            "of/1/a.knn.npz\nof/2/b.knn.npz\n");
  EXPECT_EQ(sorted(batch({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "of/{stem}/nn.csv"}).out),
            "of/a/nn.csv\nof/b/nn.csv\n");
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
  const Outcome o = batch({"--jobs", "jobs.tsv", "--report", "r.jsonl"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(sorted(o.out), "1.npz\n6.npz\n");
  for (const std::string line : {"kann: error: jobs.tsv:2: nope.xyz: No such file or directory\n",
                                 "kann: error: jobs.tsv:3: expected data<TAB>query<TAB>output, or a JSON object with "
                                 "these keys (got 4 fields)\n",
                                 "kann: error: jobs.tsv:4: bad.xyz:2: column 3 is not a number: 'x'\n",
                                 "kann: error: jobs.tsv:5: 5.jpg: unknown output format"})
    EXPECT_NE(o.err.find(line), std::string::npos) << line << o.err;
  EXPECT_TRUE(ends_with_counts(o.err, "2 done, 0 skipped, 4 failed")) << o.err;
  EXPECT_TRUE(read_file("6.npz") == alone("m.xyz", "b.xyz"));
  EXPECT_EQ(files(), (std::vector<std::string>{"1.npz", "6.npz", "a.xyz", "b.xyz", "bad.xyz", "c.xyz", "jobs.tsv",
                                               "m.xyz", "r.jsonl"}));

  auto lines = lines_of(read_file("r.jsonl"));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[6]["batch"]["failed"], 4);
  std::ranges::sort(lines.begin(), lines.end() - 1, {}, [](const Json& line) { return line["job"].get<int>(); });
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
  const Outcome o = batch({"--jobs", "jobs.tsv"});
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_EQ(sorted(o.out), "new/b.csv\nnew/deep/a.npz\n");
  EXPECT_NE(o.err.find("kann: error: jobs.tsv:3: a.xyz: Not a directory\n"), std::string::npos) << o.err;
}

/// A FIFO can be read once: all jobs search what it gave.
TEST_F(BatchTest, DataMayComeFromAFifo) {
  EXPECT_EQ(batch({"--data", "m.xyz", "--query", "b.xyz", "-o", "want.bin"}).exit_code, 0);
  ASSERT_EQ(mkfifo(path("map.xyz").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path("map.xyz")) << read_file("m.xyz"); });
  const Outcome o = batch({"--data", "map.xyz", "--query", "a.xyz", "b.xyz", "c.xyz", "-o", "{stem}.bin"});
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
  const Outcome o = batch({"--jobs", "jobs.tsv", "--fail-fast"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_NE(last_line(o.err).find(" left in "), std::string::npos) << o.err;
  EXPECT_FALSE(std::filesystem::exists(path("39.npz")));
  const Outcome all = batch({"--jobs", "jobs.tsv", "--skip-existing"});
  EXPECT_EQ(all.exit_code, 3);
  EXPECT_TRUE(std::filesystem::exists(path("39.npz")));
}

TEST_F(BatchTest, SkipsWhatExists) {
  const std::vector<std::string> words = {"--data", "m.xyz", "--query", "a.xyz",
                                          "b.xyz",  "-o",    "out/",    "--skip-existing"};
  EXPECT_EQ(batch({"--data", "m.xyz", "--query", "a.xyz", "-o", "out/"}).exit_code, 0);
  const auto written = std::filesystem::last_write_time(path("out/a.knn.npz"));
  const Outcome o = batch(words);
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(sorted(o.out), "out/a.knn.npz\nout/b.knn.npz\n");
  EXPECT_TRUE(ends_with_counts(o.err, "1 done, 1 skipped, 0 failed")) << o.err;
  EXPECT_EQ(std::filesystem::last_write_time(path("out/a.knn.npz")), written);
  auto json = words;
  json.push_back("--json");
  const auto lines = lines_of(batch(json).out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["skipped"], true);
  EXPECT_EQ(lines[1]["skipped"], true);
  const Outcome single = batch({"--data", "m.xyz", "--query", "a.xyz", "-o", "out/a.knn.npz", "--skip-existing"});
  EXPECT_EQ(single.exit_code, 0);
  EXPECT_EQ(single.err, "kann: out/a.knn.npz exists; skipped\n");
  EXPECT_EQ(single.out, "out/a.knn.npz\n");
}

TEST_F(BatchTest, RefusesBeforeTheWork) {
  std::filesystem::create_directory(path("d"));
  write_cloud("d/a.xyz", 9, 5);
  write_file("same.tsv", "m.xyz\ta.xyz\tx.npz\nm.xyz\tb.xyz\td/../x.npz\n");
  write_file("input.tsv", "m.xyz\ta.xyz\tx.npz\nm.xyz\tb.xyz\td/../c.xyz\nm.xyz\tc.xyz\ty.npz\n");
  const auto expect = [&](const std::vector<std::string>& words, const std::string& message) {
    const Outcome o = batch(words);
    EXPECT_EQ(o.exit_code, 2) << message;
    EXPECT_EQ(o.err, "kann: error: " + message + "\n");
    EXPECT_EQ(o.out, "");
    EXPECT_FALSE(std::filesystem::exists(path("x.npz")));
  };
  expect({"--data", "m.xyz", "--query", "a.xyz", "d/a.xyz"},
         "d/a.xyz: a.knn.npz is the output of a.xyz, too; choose another --output, such as '{index}.npz'");
  for (const auto& [option, word] : {std::pair{"--html", "page"}, {"--report", "report"}}) {
    expect({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "{stem}.html", "--output-format", "csv", option,
            "b.html"},
           fmt::format("b.xyz: b.html is the {} of the batch, too; choose another --output, such as '{{index}}.npz'",
                       word));
    std::filesystem::remove(path("b.html"));  // it tells of the failure
  }
  const std::string before = read_file("b.xyz");
  expect({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "--report", "d/../b.xyz", "--force"},
         "d/../b.xyz: is an input of the batch; choose another --report");
  EXPECT_EQ(read_file("b.xyz"), before);
  expect({"--jobs", "same.tsv"}, "same.tsv:2: d/../x.npz is the output of same.tsv:1, too");
  expect({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "x.npz"},
         "--output x.npz is one file for many results; give a folder (out/) or a pattern ({stem}.npz)");
  expect({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "-", "--output-format", "csv"},
         "a batch writes no result to standard output; give a folder or a pattern");
  expect({"--data", "m.xyz", "--query", "a.xyz", "-", "--query-format", "xyz"},
         "a batch reads no cloud from standard input; give files");
  expect({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "--compare", "x.npz"},
         "--compare x.npz is one file for many results; give a pattern ({stem}.npz)");
  expect({"--jobs", "same.tsv", "--query", "a.xyz"}, "--jobs does not go with --query: the list names the queries");
  expect({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "{idx}.npz"},
         "{idx}.npz: unknown placeholder '{idx}'; there are {stem}, {name}, {data} and {index}, and {{ stands for a "
         "brace");
  expect({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "{{stem}}.npz"},
         "--output {{stem}}.npz is one file for many results; give a folder (out/) or a pattern ({stem}.npz)");
  expect({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "--compare", "{steam}.npz"},
         "{steam}.npz: unknown placeholder '{steam}'; did you mean '{stem}'?");
  expect(
      {"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "-o", "{stem}.jpg"},
      "a.jpg: unknown output format (got extension '.jpg', need .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs, "
      ".fbin, .mtx, .ply, .las or .laz); --output-format names it, cloud-csv for a cloud as text");
}

/// Also by another path, and whatever its extension.
TEST_F(BatchTest, NeverReplacesAnInputOfAnotherJob) {
  write_file("input.tsv", "m.xyz\ta.xyz\tx.npz\nm.xyz\tb.xyz\t./c.csv\nm.xyz\tc.csv\ty.npz\n");
  std::filesystem::rename(path("c.xyz"), path("c.csv"));
  const std::string before = read_file("c.csv");
  const Outcome o = batch({"--jobs", "input.tsv", "--force"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.err, "kann: error: input.tsv:2: c.csv is an input of the batch, and would be its output\n");
  EXPECT_EQ(read_file("c.csv"), before);
}

TEST_F(BatchTest, AMissingListIsBadInput) {
  const Outcome o = batch({"--jobs", "nope.tsv"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.err, "kann: error: nope.tsv: No such file or directory\n");
  write_file("empty.tsv", "");
  const Outcome empty = batch({"--jobs", "empty.tsv"});
  EXPECT_EQ(empty.exit_code, 0);
  EXPECT_TRUE(ends_with_counts(empty.err, "0 done, 0 skipped, 0 failed")) << empty.err;
  const Outcome checked = batch({"--jobs", "empty.tsv", "--min-recall", "0.9"});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_NE(checked.err.find("kann: error: nothing could be checked: the batch has no job\n"), std::string::npos);
}

/// A line that is too long is passed over, and no line needs a newline at the end of the list.
TEST_F(BatchTest, PassesOverALongLine) {
  for (const std::string end : {"", "\n"}) {
    write_file("jobs.tsv", std::string(std::size_t{3} << 20, 'x') + "\nm.xyz\ta.xyz\tx.npz\n" +
                               std::string(std::size_t{2} << 20, 'y') + end);
    const Outcome o = batch({"--jobs", "jobs.tsv", "--force"});
    EXPECT_EQ(o.exit_code, 3);
    EXPECT_EQ(o.out, "x.npz\n");
    EXPECT_EQ(o.err.find("kann: error: jobs.tsv:1: is longer than 1 MiB\n"), 0u);
    EXPECT_NE(o.err.find("kann: error: jobs.tsv:3: is longer than 1 MiB\n"), std::string::npos);
  }
}

/// A pair of which a killed run has left one half.
TEST_F(BatchTest, ResumesHalfAPair) {
  const std::vector<std::string> words = {"--data", "m.xyz", "--query",         "a.xyz", "b.xyz",
                                          "-o",     "out/",  "--output-format", "npy",   "--skip-existing"};
  EXPECT_EQ(batch(words).exit_code, 0);
  const std::string ids = read_file("out/a.knn.npy");
  std::filesystem::remove(path("out/a.knn.npy"));
  const Outcome o = batch(words);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(ends_with_counts(o.err, "1 done, 1 skipped, 0 failed")) << o.err;
  EXPECT_TRUE(read_file("out/a.knn.npy") == ids);
}

/// No run leaves the ids without the distances, so they are somebody else's.
TEST_F(BatchTest, DoesNotReplaceAnArrayThatIsNoHalfOfAPair) {
  write_file("mine.npy", "mine");
  const Outcome o = batch({"--data", "m.xyz", "--query", "a.xyz", "-o", "mine.npy", "--skip-existing"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.err, "kann: error: mine.npy: File exists; use --force to replace it\n");
  EXPECT_EQ(read_file("mine.npy"), "mine");
}

TEST_F(BatchTest, ComparesEachJobWithItsOwn) {
  const std::vector<std::string> words = {"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "--exact"};
  auto truth = words, compared = words;
  truth.insert(truth.end(), {"-o", "truth/"});
  compared.insert(compared.end(), {"-o", "now/", "--compare", "truth/{stem}.knn.npz", "--min-recall", "1"});
  EXPECT_EQ(batch(truth).exit_code, 0);
  const Outcome o = batch(compared);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_NE(o.err.find("kann: b.xyz: compare: 50 of 50 queries against truth/b.knn.npz"), std::string::npos) << o.err;
}

TEST_F(BatchTest, JudgesEveryJob) {
  const Outcome o = batch({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "--method", "shifted-sort", "--window", "1",
                           "--min-recall", "0.999"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_TRUE(ends_with_counts(o.err, "0 done, 0 skipped, 2 failed")) << o.err;
  EXPECT_EQ(sorted(o.out), "a.knn.npz\nb.knn.npz\n");  // they are whole
  const Outcome exact = batch({"--data", "m.xyz", "--query", "a.xyz", "b.xyz", "--force", "--exact", "--verify"});
  EXPECT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_NE(exact.err.find("kann: b.xyz: verify: 50 of 50 queries"), std::string::npos);
}

}  // namespace
}  // namespace kann::test
