// The files of a run: their names, which files are replaced, and what stdin and stdout carry.
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <stdlib.h>
#include <unistd.h>

#include "run_kann.hpp"

namespace kann::test {
namespace {

namespace fs = std::filesystem;

/// A folder with the clouds pts.xyz (300 points) and q.xyz (40).
class OutputsTest : public ProgramTest {
 protected:
  /// On the CPU, so that the test runs on every machine.
  OutputsTest() : ProgramTest("--data pts.xyz --device cpu") {
    write_cloud("pts.xyz", 300, 1);
    write_cloud("q.xyz", 40, 2);
  }
};

TEST_F(OutputsTest, WritesTheDefaultResultAndOneSummaryLine) {
  const Outcome o = succeeds("--query q.xyz --k 8");
  EXPECT_EQ(o.out, "q.knn.npz\n");
  EXPECT_TRUE(begins(o.err, "kann: 40 queries x 8 neighbours among 300 points on CPU ("));
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_EQ(files(), (Names{"pts.xyz", "q.knn.npz", "q.xyz"}));
}

TEST_F(OutputsTest, WithoutQueriesTheDataAreTheQueries) {
  const Outcome o = kann("-k 3");
  EXPECT_EQ(o.out, "pts.knn.npz\n");
  EXPECT_TRUE(begins(o.err, "kann: 300 queries x 3 neighbours among 300 points on CPU ("));

  const Outcome alone = kann("-k1 -o - --output-format csv");
  EXPECT_TRUE(has(kann("-k1 -o - --output-format csv --include-self").out, "\n7,0,7,0\n"));
  EXPECT_FALSE(has(alone.out, "\n7,0,7,"));
}

TEST_F(OutputsTest, OutputDashWritesTheResultToStdout) {
  const Outcome o = succeeds("--query q.xyz -k2 -o - --output-format csv");
  EXPECT_TRUE(begins(o.out, "query,rank,id,distance\n0,0,"));
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1 + 40 * 2);
  EXPECT_EQ(written("--query q.xyz -k2 -o file.csv", "file.csv"), o.out);
}

TEST_F(OutputsTest, QueryDashReadsTheQueriesFromStdin) {
  const Settings settings{.stdin_text = read_file("q.xyz")};
  const std::string as_csv = "-k2 -o - --output-format csv --query ";
  EXPECT_EQ(succeeds(as_csv + "- --query-format xyz", settings).out, written(as_csv + "q.xyz"));
  EXPECT_EQ(kann("--query - --query-format xyz", settings).out, "stdin.knn.npz\n");
}

TEST_F(OutputsTest, ANpzSaysWhatWasSearched) {
  std::string utf32;  // numpy stores four bytes per character
  for (const char c : std::string(R"("k":8,"method":"exact")")) utf32.append(1, c).append(3, '\0');
  EXPECT_TRUE(has(written("--query q.xyz -o o.npz", "o.npz"), utf32));
}

TEST_F(OutputsTest, AnExistingOutputIsReplacedWithForceOnly) {
  write_file("out.csv", "old");
  expect_refused("-o out.csv", 2, "out.csv: File exists; use --force to replace it");
  EXPECT_TRUE(begins(written("-o out.csv --force", "out.csv"), "query,rank,id,distance\n"));
}

TEST_F(OutputsTest, ABadTargetIsRefusedBeforeTheCloudsAreRead) {
  write_file("out.csv", "old");
  expect_refused("--data nope.ply -o out.csv", 2, "out.csv: File exists; use --force to replace it");
  expect_refused("--data nope.ply -o no/such/out.csv", 4,
                 "no/such/out.csv: No such file or directory; make the folder no/such first");
}

TEST_F(OutputsTest, AnInputIsNeverReplaced) {
  fs::create_symlink("pts.xyz", path("link.csv"));
  fs::create_hard_link(path("pts.xyz"), path("hard.csv"));
  fs::copy(path("pts.xyz"), path("pts.csv"));
  fs::copy(path("pts.xyz"), path("n.distances.npy"));
  fs::copy(path("pts.xyz"), path("r.dat.distances.npy"));
  const std::string cloud = read_file("pts.xyz");
  for (const std::string attempt : {
           "--data pts.xyz -o link.csv",
           "--data pts.xyz -o hard.csv",
           "--data link.csv -o pts.xyz --output-format csv",
           "--data pts.csv -o ./pts.csv",
           "--data q.xyz --query pts.csv -o pts.csv",
           "--data n.distances.npy --data-format xyz -o n.npy",
           "--data r.dat.distances.npy --data-format xyz -o r.dat --output-format npy",
       })
    EXPECT_TRUE(has(error_of(attempt + " --force", 2), ": is the input "));
  for (const char* name : {"pts.xyz", "link.csv", "hard.csv", "pts.csv", "n.distances.npy", "r.dat.distances.npy"})
    EXPECT_EQ(read_file(name), cloud) << name;
}

TEST_F(OutputsTest, AnInputIsNeverStdout) {
  const std::string cloud = read_file("pts.xyz");
  for (const int flags : {O_WRONLY | O_APPEND, O_RDWR})
    for (const std::string output : {"-", "out.csv"}) {
      const int fd = open(path("pts.xyz").c_str(), flags | O_CLOEXEC);
      ASSERT_GE(fd, 0);
      const Outcome o = run("--data pts.xyz -o " + output + " --output-format csv", {.stdout_fd = fd});
      close(fd);
      EXPECT_EQ(o.exit_code, 2);
      EXPECT_EQ(o.err, "kann: error: stdout: is the input pts.xyz; send it elsewhere\n");
      EXPECT_EQ(read_file("pts.xyz"), cloud);
    }
}

TEST_F(OutputsTest, AnInputPathThatCannotBeResolvedIsBadInput) {
  for (const auto& [name, target] :
       {std::pair{"a.xyz", "b.xyz"}, {"b.xyz", "a.xyz"}, {"c.npz", "d.npz"}, {"d.npz", "c.npz"}})
    fs::create_symlink(target, path(name));
  expect_refused("--data a.xyz -o c.npz", 3, "a.xyz: Too many levels of symbolic links");
  const std::string name = std::string(300, 'n') + ".xyz";
  expect_refused("--data " + name + " -o " + std::string(300, 'o') + ".npz", 3, name + ": File name too long");
}

TEST_F(OutputsTest, OutputPathsThatCannotBeResolvedAreNotTheSame) {
  for (const auto& [name, target] : {std::pair{"a", "b"}, {"b", "a"}, {"c", "d"}, {"d", "c"}})
    fs::create_symlink(target, path(name));
  EXPECT_FALSE(has(error_of("-o a --output-format npz --report c", 4), "is the result too"));
}

TEST_F(OutputsTest, AStdoutThatFailsIsAnError) {
  const Settings full{.stdout_path = "/dev/full"};
  for (const auto& [output, more] :
       {std::pair<std::string, std::string>{"-", " --output-format csv"}, {"a.npz", ""}, {"b.npz", " --json"}}) {
    const std::string error = error_of("-o " + output + more, 4, full);
    const std::string where = output == "-" ? "" : "; the result is whole: " + output;
    EXPECT_TRUE(has(error, "kann: error: stdout: No space left on device" + where + "\n"));
    EXPECT_EQ(fs::exists(path(output)), output != "-");
    EXPECT_EQ(error.find("error", error.find("error") + 1), std::string::npos) << error;
  }
  EXPECT_EQ(run("--help", full).exit_code, 4);
  const Outcome page = run("--generate man", full);
  EXPECT_EQ(page.exit_code, 4);
  EXPECT_EQ(page.err, "kann: error: stdout: No space left on device\n");
}

TEST_F(OutputsTest, AClosedStdoutCostsAResultOnStdoutOrTheReportOnly) {
  const Settings closed{.stdout_path = ""};
  EXPECT_TRUE(begins(succeeds("-o c.npz", closed).err, "kann: nobody reads stdout; the result is whole: c.npz\n"));
  EXPECT_TRUE(fs::exists(path("c.npz")));
  EXPECT_EQ(kann("-o q.npz -q", closed).err, "");
  for (const std::string output : {"- --output-format csv", "d.npz --json"})  // found before the work
    expect_refused("-o " + output, 4, "stdout: closed", closed);
  EXPECT_EQ(run("--help", closed).exit_code, 0);
  EXPECT_EQ(run("--generate man", closed).exit_code, 0);
}

TEST_F(OutputsTest, AReaderWhoLeavesEndsTheRunWithoutAWord) {
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  close(pipe_ends[0]);
  const Settings left{.stdout_fd = pipe_ends[1]};
  const Outcome piped = kann("-o - --output-format npz --report r.json", left);
  EXPECT_EQ(piped.exit_code, 141);
  EXPECT_EQ(piped.err, "");
  EXPECT_EQ(json_of("r.json")["error"],
            json::parse(R"({"kind":"reader_gone","message":"stdout: Broken pipe","exit_code":141})"));

  for (const std::string output : {"a.npz", "b.npz --json"}) {
    const Outcome o = succeeds("-o " + output, left);
    EXPECT_TRUE(has(o.err, "kann: nobody reads stdout; the result is whole: " + output.substr(0, 5) + "\n"));
    EXPECT_FALSE(has(o.err, "error"));
  }
  EXPECT_EQ(run("--help", left).exit_code, 0);
  EXPECT_EQ(run("--generate man", left).exit_code, 0);
  EXPECT_EQ(error_of("--data nope.ply --json", 3, left), "kann: error: nope.ply: No such file or directory\n");
  for (const std::string& name : files()) EXPECT_FALSE(ends(name, ".tmp"));
  close(pipe_ends[1]);
}

TEST_F(OutputsTest, APathIsPrintedAsItIsButNotToATerminal) {
  const std::string name =
      "a\xc2\x9b"
      "2J\xe9.npz";
  EXPECT_EQ(kann("-o " + name).out, name + "\n");
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);  // so that the output stays to be read
  const auto printed = [&](const std::string& more, std::string_view end) {
    succeeds(more, {.stdout_path = ptsname(terminal)});
    std::string text;  // comes in parts
    char part[4096];
    while (!text.ends_with(end)) {
      const ssize_t size = read(terminal, part, sizeof part);
      if (size <= 0) break;
      text.append(part, static_cast<std::size_t>(size));
    }
    return text;
  };
  EXPECT_EQ(printed("-o " + name + " --force", "\n"), "a\\xc2\\x9b2J\\xe9.npz\r\n");
  EXPECT_TRUE(has(printed("-o " + name + " --force --json", "\n}\r\n"), "\"a\\u009b2J\xef\xbf\xbd.npz\""));
  close(other_end);
  close(terminal);
}

TEST_F(OutputsTest, MessagesToAClosedStderrAreNotWrittenToTheResult) {
  succeeds("-o closed.csv -v --progress always", {.close_stderr = true});
  EXPECT_EQ(read_file("closed.csv"), written("-o open.csv", "open.csv"));
}

TEST_F(OutputsTest, IntensitiesThatBecomeOtherNumbersAreAWarning) {
  write_file("i.csv", "x,y,z,intensity\n0,0,0,0.25\n1,1,1,1\n");
  const std::string warning = "i.las: intensities from 0 to 1 are written times 65535 and rounded";
  EXPECT_TRUE(has(succeeds("--query i.csv -k 1 -o i.las").err, warning));
  EXPECT_FALSE(has(succeeds("--query i.las -k 1 -o again.las").err, warning));
}

TEST_F(OutputsTest, AVariableSetsItsOptionAndTheOptionWins) {
  const Settings settings{.variables = {{"KANN_THREADS", "2"}}};
  EXPECT_TRUE(has(kann("-o a.npz", settings).err, " on CPU (2 threads): "));
  EXPECT_TRUE(has(kann("-o b.npz --threads 1", settings).err, " on CPU (1 thread): "));
}

}  // namespace
}  // namespace kann::test
