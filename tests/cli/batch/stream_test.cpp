// Jobs that come from standard input, and are answered as they come.
#include <filesystem>
#include <signal.h>
#include <sys/stat.h>

#include "batch_fixture.hpp"

namespace kann::test {
namespace {

TEST_F(BatchTest, ReadsJobsFromStdin) {
  const Outcome o = kann("--data m.xyz --jobs -", {.stdin_text = "\ta.xyz\n\tnope.xyz\nx\ty\tz\tw\n\tb.xyz\tb.csv\n"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(sorted(o.out), "a.knn.npz\nb.csv\n");
  EXPECT_TRUE(has(o.err, "kann: error: stdin:3: expected data"));
  EXPECT_TRUE(read_file("a.knn.npz") == alone("m.xyz a.xyz"));
}

/// The list is on standard input: no cloud is read from there.
TEST_F(BatchTest, AStreamOfJobsLeavesStdinToTheList) {
  const Outcome o = kann("--jobs -", {.stdin_text = "/dev/stdin\ta.xyz\t1.npz\nm.xyz\t/dev/./fd/0\t2.npz\n"
                                                    "m.xyz\t-\t3.npz\nm.xyz\ta.xyz\t4.npz\n"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.out, "4.npz\n");
  const std::string why = ": the list of jobs is read from standard input; give a file\n";
  for (const std::string line : {"stdin:1: /dev/stdin", "stdin:2: /dev/./fd/0", "stdin:3: -"})
    EXPECT_TRUE(has(o.err, "kann: error: " + line + why));
  EXPECT_EQ(error_of("--jobs - --data /dev/stdin", 2), "kann: error: --data /dev/stdin" + why);
}

/// The list as a stream finds two jobs of one output when the second comes, and the first result stays.
TEST_F(BatchTest, AStreamNeverReplacesAResultOfItsOwn) {
  const std::string error =
      error_of("--data m.xyz --jobs - --force", 3, {.stdin_text = "\ta.xyz\tx.npz\n\tb.xyz\t./x.npz\n"});
  EXPECT_TRUE(has(error, "kann: error: stdin:2: ./x.npz is the output of stdin:1\n"));
  EXPECT_TRUE(read_file("x.npz") == alone("m.xyz a.xyz"));
}

/// The list is a file that the shell has opened.
TEST_F(BatchTest, TheListItselfIsNoOutput) {
  const std::string list = "\ta.xyz\tjobs.csv\n\tb.xyz\tok.csv\n";
  write_file("jobs.csv", list);
  const Outcome o = kann("--data m.xyz --jobs - --force", {.stdin_path = "jobs.csv"});
  EXPECT_NE(o.exit_code, 0);
  EXPECT_TRUE(has(o.err, "jobs.csv: is the input -; choose another --output"));
  EXPECT_EQ(read_file("jobs.csv"), list);
}

/// Nor an input of another job; nor is a result read while it may not be there yet.
TEST_F(BatchTest, AStreamNeverConfusesInputsAndOutputs) {
  std::filesystem::rename(path("c.xyz"), path("c.csv"));
  const std::string before = read_file("c.csv");
  const Outcome o =
      kann("--jobs - --force", {.stdin_text = "m.xyz\tc.csv\tx.npz\nm.xyz\ta.xyz\tc.csv\nm.xyz\tx.npz\ty.npz\n"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_TRUE(has(o.err, "kann: error: stdin:2: c.csv is the input of stdin:1\n"));
  EXPECT_TRUE(has(o.err, "kann: error: stdin:3: x.npz is the output of stdin:1\n"));
  EXPECT_EQ(read_file("c.csv"), before);
}

/// Data that change between two jobs are read again.
TEST_F(BatchTest, SeesThatTheDataHaveChanged) {
  const std::string before = alone("m.xyz a.xyz");
  const pid_t pid = start("--device cpu -k 3 --data m.xyz --jobs -");
  send("\ta.xyz\t1.npz\n\ta.xyz\t2.npz\n");
  wait_for_file("2.npz");  // answers come before the list ends
  write_cloud("m.xyz", 400, 9);
  send("\ta.xyz\t3.npz\n");
  end_input();
  EXPECT_EQ(finish(pid).exit_code, 0);
  EXPECT_TRUE(read_file("1.npz") == before);
  EXPECT_TRUE(read_file("2.npz") == before);
  const std::string after = alone("m.xyz a.xyz");
  EXPECT_FALSE(after == before);
  EXPECT_TRUE(read_file("3.npz") == after);
}

/// What is finished stays, and what is not leaves no trace. A report without a last line of counts is that of a batch
/// that was ended.
TEST_F(BatchTest, ASignalLeavesWhatIsFinished) {
  const pid_t pid = start("--device cpu -k 3 --data m.xyz --jobs - --report r.jsonl");
  send("\ta.xyz\t1.npz\n\tb.xyz\t2.npz\n");
  for (int i = 0; i < 3000 && std::ranges::count(read_file("r.jsonl"), '\n') < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(pid, SIGTERM);
  const Outcome o = finish(pid);
  EXPECT_EQ(o.exit_code, 143);
  EXPECT_TRUE(has(o.err, "kann: error: interrupted; files are whole or absent\n"));
  EXPECT_EQ(files(), (Names{"1.npz", "2.npz", "a.xyz", "b.xyz", "c.xyz", "m.xyz", "r.jsonl"}));
  const auto lines = lines_of(read_file("r.jsonl"));
  ASSERT_EQ(lines.size(), 2u);
  for (const json& line : lines) EXPECT_TRUE(line.contains("job") && !line.contains("batch"));
  EXPECT_TRUE(ends_with_counts(o.err, "2 done, 0 skipped, 0 failed")) << o.err;
}

/// A signal that comes before the first job.
TEST_F(BatchTest, ASignalCountsNoJobs) {
  ASSERT_EQ(mkfifo(path("list").c_str(), 0600), 0);
  const pid_t pid = start("--device cpu --data m.xyz --jobs list");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(pid, SIGTERM);
  const Outcome o = finish(pid);
  EXPECT_EQ(o.exit_code, 143);
  EXPECT_TRUE(ends_with_counts(o.err, "0 done, 0 skipped, 0 failed")) << o.err;
}

/// The rest of a list is named, too. The second job waits for a writer of its queries.
TEST_F(BatchTest, ASignalCountsWhatWasLeft) {
  ASSERT_EQ(mkfifo(path("pipe.xyz").c_str(), 0600), 0);
  for (const bool is_quiet : {false, true}) {
    const std::string words = "m.xyz a.xyz pipe.xyz b.xyz --device cpu -o out/ --force --report r.jsonl ";
    std::filesystem::remove(path("r.jsonl"));
    const pid_t pid = start(words + (is_quiet ? "-q" : ""));
    for (int i = 0; i < 3000 && read_file("r.jsonl").empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(pid, SIGINT);
    const Outcome o = finish(pid);
    EXPECT_EQ(o.exit_code, 130);
    EXPECT_TRUE(has(o.err, "kann: error: interrupted; files are whole or absent"));
    EXPECT_EQ(ends_with_counts(o.err, "1 done, 0 skipped, 0 failed, 2 left"), !is_quiet) << o.err;
    const auto lines = lines_of(read_file("r.jsonl"));
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0]["job"], 1);
  }
}

/// --fail-fast does not wait for the next line of a stream.
TEST_F(BatchTest, AStreamEndsAtTheFirstFailureIfAsked) {
  const pid_t pid = start("--device cpu -k 3 --data m.xyz --jobs - --fail-fast");
  send("\tnope.xyz\n");
  EXPECT_EQ(finish(pid).exit_code, 3);
}

}  // namespace
}  // namespace kann::test
