// The files of a run: their names, which files are replaced, and what stdin and stdout carry.
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdlib.h>
#include <unistd.h>

#include "run_kann.hpp"

namespace kann::test {
namespace {

namespace fs = std::filesystem;

/// A folder with the clouds pts.xyz (300 points) and q.xyz (40).
class OutputsTest : public ProgramTest {
 protected:
  OutputsTest() {
    write_cloud("pts.xyz", 300, 1);
    write_cloud("q.xyz", 40, 2);
  }

  /// On the CPU, so that the test runs on every machine.
  Outcome search(std::vector<std::string> more, const Settings& settings = {}) const {
    more.insert(more.begin(), {"--data", "pts.xyz", "--device", "cpu"});
    return run(more, settings);
  }
};

TEST_F(OutputsTest, WritesTheDefaultResultAndOneSummaryLine) {
  const Outcome o = search({"--query", "q.xyz", "--k", "8"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.out, "q.knn.npz\n");
  EXPECT_EQ(o.err.find("kann: 40 queries x 8 neighbours among 300 points on CPU ("), 0u) << o.err;
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"pts.xyz", "q.knn.npz", "q.xyz"}));
}

TEST_F(OutputsTest, WithoutQueriesTheDataAreTheQueries) {
  const Outcome o = search({"-k", "3"});
  EXPECT_EQ(o.out, "pts.knn.npz\n");
  EXPECT_EQ(o.err.find("kann: 300 queries x 3 neighbours among 300 points on CPU ("), 0u) << o.err;

  const Outcome alone = search({"-k1", "-o", "-", "--output-format", "csv"});
  const Outcome with_self = search({"-k1", "-o", "-", "--output-format", "csv", "--include-self"});
  EXPECT_NE(with_self.out.find("\n7,0,7,0\n"), std::string::npos);
  EXPECT_EQ(alone.out.find("\n7,0,7,"), std::string::npos);
}

TEST_F(OutputsTest, OutputDashWritesTheResultToStdout) {
  const Outcome o = search({"--query", "q.xyz", "-k2", "-o", "-", "--output-format", "csv"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.out.find("query,rank,id,distance\n0,0,"), 0u);
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1 + 40 * 2);
  search({"--query", "q.xyz", "-k2", "-o", "file.csv"});
  EXPECT_EQ(read_file("file.csv"), o.out);
}

TEST_F(OutputsTest, QueryDashReadsTheQueriesFromStdin) {
  const Settings settings{.stdin_text = read_file("q.xyz")};
  const std::vector<std::string> as_csv = {"-k2", "-o", "-", "--output-format", "csv"};
  std::vector<std::string> piped = {"--query", "-", "--query-format", "xyz"}, named = {"--query", "q.xyz"};
  piped.insert(piped.end(), as_csv.begin(), as_csv.end());
  named.insert(named.end(), as_csv.begin(), as_csv.end());
  const Outcome o = search(piped, settings);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, search(named).out);
  EXPECT_EQ(search({"--query", "-", "--query-format", "xyz"}, settings).out, "stdin.knn.npz\n");
}

TEST_F(OutputsTest, TheSameBytesOnEveryThreadCount) {
  search({"--query", "q.xyz", "-o", "one.npz", "--threads", "1"});
  search({"--query", "q.xyz", "-o", "three.npz", "--threads", "3", "--verify", "-v"});
  EXPECT_FALSE(read_file("one.npz").empty());
  EXPECT_EQ(read_file("one.npz"), read_file("three.npz"));
  std::string utf32;  // numpy stores four bytes per character
  for (const char c : std::string(R"("k":8,"method":"exact")")) utf32.append(1, c).append(3, '\0');
  EXPECT_NE(read_file("one.npz").find(utf32), std::string::npos);
}

TEST_F(OutputsTest, AnExistingOutputIsReplacedWithForceOnly) {
  write_file("out.csv", "old");
  const Outcome refused = search({"-o", "out.csv"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err.find("kann: error: out.csv: "), 0u);
  EXPECT_NE(refused.err.find("--force"), std::string::npos);
  EXPECT_EQ(read_file("out.csv"), "old");

  EXPECT_EQ(search({"-o", "out.csv", "--force"}).exit_code, 0);
  EXPECT_EQ(read_file("out.csv").find("query,rank,id,distance\n"), 0u);
}

TEST_F(OutputsTest, ABadTargetIsRefusedBeforeTheCloudsAreRead) {
  write_file("out.csv", "old");
  for (const auto& [target, code] : {std::pair{"out.csv", 2}, {"no/such/folder/out.csv", 4}}) {
    const Outcome o = run({"--data", "nope.ply", "-o", target});
    EXPECT_EQ(o.exit_code, code);
    EXPECT_EQ(o.err.find("kann: error: " + std::string(target) + ": "), 0u) << o.err;
  }
  EXPECT_EQ(run({"--data", "nope.ply", "-o", "no/out.csv"}).err,
            "kann: error: no/out.csv: No such file or directory; make the folder no first\n");
}

TEST_F(OutputsTest, AnInputIsNeverReplaced) {
  fs::create_symlink("pts.xyz", path("link.csv"));
  fs::create_hard_link(path("pts.xyz"), path("hard.csv"));
  fs::copy(path("pts.xyz"), path("pts.csv"));
  fs::copy(path("pts.xyz"), path("n.distances.npy"));
  fs::copy(path("pts.xyz"), path("r.dat.distances.npy"));
  const std::string cloud = read_file("pts.xyz");
  const std::vector<std::vector<std::string>> attempts = {
      {"--data", "pts.xyz", "-o", "link.csv"},
      {"--data", "pts.xyz", "-o", "hard.csv"},
      {"--data", "link.csv", "-o", "pts.xyz", "--output-format", "csv"},
      {"--data", "pts.csv", "-o", "./pts.csv"},
      {"--data", "q.xyz", "--query", "pts.csv", "-o", "pts.csv"},
      {"--data", "n.distances.npy", "--data-format", "xyz", "-o", "n.npy"},
      {"--data", "r.dat.distances.npy", "--data-format", "xyz", "-o", "r.dat", "--output-format", "npy"},
  };
  for (std::vector<std::string> arguments : attempts) {
    arguments.push_back("--force");
    const Outcome o = run(arguments);
    EXPECT_EQ(o.exit_code, 2) << o.err;
    EXPECT_NE(o.err.find(": is the input "), std::string::npos) << o.err;
  }
  for (const char* name : {"pts.xyz", "link.csv", "hard.csv", "pts.csv", "n.distances.npy", "r.dat.distances.npy"})
    EXPECT_EQ(read_file(name), cloud) << name;
}

TEST_F(OutputsTest, AnInputIsNeverStdout) {
  const std::string cloud = read_file("pts.xyz");
  for (const int flags : {O_WRONLY | O_APPEND, O_RDWR})
    for (const std::string output : {"-", "out.csv"}) {
      const int fd = open(path("pts.xyz").c_str(), flags | O_CLOEXEC);
      ASSERT_GE(fd, 0);
      const Outcome o = run({"--data", "pts.xyz", "-o", output, "--output-format", "csv"}, {.stdout_fd = fd});
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
  const Outcome circle = run({"--data", "a.xyz", "-o", "c.npz"});
  EXPECT_EQ(circle.exit_code, 3);
  EXPECT_EQ(circle.err, "kann: error: a.xyz: Too many levels of symbolic links\n");
  const std::string name = std::string(300, 'n') + ".xyz";
  const Outcome too_long = run({"--data", name, "-o", std::string(300, 'o') + ".npz"});
  EXPECT_EQ(too_long.exit_code, 3);
  EXPECT_EQ(too_long.err, "kann: error: " + name + ": File name too long\n");
}

TEST_F(OutputsTest, OutputPathsThatCannotBeResolvedAreNotTheSame) {
  for (const auto& [name, target] : {std::pair{"a", "b"}, {"b", "a"}, {"c", "d"}, {"d", "c"}})
    fs::create_symlink(target, path(name));
  const Outcome o = run({"--data", "pts.xyz", "-o", "a", "--output-format", "npz", "--report", "c"});
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_EQ(o.err.find("is the result too"), std::string::npos) << o.err;
}

TEST_F(OutputsTest, AStdoutThatFailsIsAnError) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"-o", "-", "--output-format", "csv"}, {"-o", "a.npz"}, {"-o", "b.npz", "--json"}}) {
    const Outcome o = search(arguments, {.stdout_path = "/dev/full"});
    EXPECT_EQ(o.exit_code, 4) << arguments[1];
    const std::string where = arguments[1] == "-" ? "" : "; the result is whole: " + arguments[1];
    EXPECT_NE(o.err.find("kann: error: stdout: No space left on device" + where + "\n"), std::string::npos) << o.err;
    EXPECT_EQ(fs::exists(path(arguments[1])), arguments[1] != "-");
    EXPECT_EQ(o.err.find("error", o.err.find("error") + 1), std::string::npos) << o.err;
  }
  EXPECT_EQ(run({"--help"}, {.stdout_path = "/dev/full"}).exit_code, 4);
  const Outcome page = run({"--generate", "man"}, {.stdout_path = "/dev/full"});
  EXPECT_EQ(page.exit_code, 4);
  EXPECT_EQ(page.err, "kann: error: stdout: No space left on device\n");
}

TEST_F(OutputsTest, AClosedStdoutCostsAResultOnStdoutOrTheReportOnly) {
  const Settings closed{.stdout_path = ""};
  const Outcome named = search({"-o", "c.npz"}, closed);
  EXPECT_EQ(named.exit_code, 0);
  EXPECT_EQ(named.err.find("kann: nobody reads stdout; the result is whole: c.npz\n"), 0u) << named.err;
  EXPECT_TRUE(fs::exists(path("c.npz")));
  EXPECT_EQ(search({"-o", "q.npz", "-q"}, closed).err, "");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"-o", "-", "--output-format", "csv"}, {"-o", "d.npz", "--json"}}) {
    const Outcome o = search(arguments, closed);
    EXPECT_EQ(o.exit_code, 4);
    EXPECT_EQ(o.err, "kann: error: stdout: closed\n");
    EXPECT_FALSE(fs::exists(path("d.npz")));  // found before the work
  }
  EXPECT_EQ(run({"--help"}, closed).exit_code, 0);
  EXPECT_EQ(run({"--generate", "man"}, closed).exit_code, 0);
}

TEST_F(OutputsTest, AReaderWhoLeavesEndsTheRunWithoutAWord) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  const Settings left{.stdout_fd = ends[1]};
  const Outcome piped = search({"-o", "-", "--output-format", "npz", "--report", "r.json"}, left);
  EXPECT_EQ(piped.exit_code, 141);
  EXPECT_EQ(piped.err, "");
  const nlohmann::json error = nlohmann::json::parse(read_file("r.json"))["error"];
  EXPECT_EQ(error, nlohmann::json::parse(R"({"kind":"reader_gone","message":"stdout: Broken pipe","exit_code":141})"));

  for (const std::vector<std::string>& more : {std::vector<std::string>{"-o", "a.npz"}, {"-o", "b.npz", "--json"}}) {
    const Outcome o = search(more, left);
    EXPECT_EQ(o.exit_code, 0);
    EXPECT_NE(o.err.find("kann: nobody reads stdout; the result is whole: " + more[1] + "\n"), o.err.npos) << o.err;
    EXPECT_EQ(o.err.find("error"), o.err.npos) << o.err;
  }
  EXPECT_EQ(run({"--help"}, left).exit_code, 0);
  EXPECT_EQ(run({"--generate", "man"}, left).exit_code, 0);
  const Outcome failed = run({"--data", "nope.ply", "--json"}, left);
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(failed.err, "kann: error: nope.ply: No such file or directory\n");
  for (const std::string& name : files()) EXPECT_FALSE(name.ends_with(".tmp")) << name;
  close(ends[1]);
}

TEST_F(OutputsTest, APathIsPrintedAsItIsButNotToATerminal) {
  const std::string name =
      "a\xc2\x9b"
      "2J\xe9.npz";
  EXPECT_EQ(search({"-o", name}).out, name + "\n");
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);  // so that the output stays to be read
  const auto printed = [&](const std::vector<std::string>& more, std::string_view end) {
    EXPECT_EQ(search(more, {.stdout_path = ptsname(terminal)}).exit_code, 0);
    std::string text;  // comes in parts
    char part[4096];
    while (!text.ends_with(end)) {
      const ssize_t size = read(terminal, part, sizeof part);
      if (size <= 0) break;
      text.append(part, static_cast<std::size_t>(size));
    }
    return text;
  };
  EXPECT_EQ(printed({"-o", name, "--force"}, "\n"), "a\\xc2\\x9b2J\\xe9.npz\r\n");
  EXPECT_NE(printed({"-o", name, "--force", "--json"}, "\n}\r\n").find("\"a\\u009b2J\xef\xbf\xbd.npz\""),
            std::string::npos);
  close(other_end);
  close(terminal);
}

TEST_F(OutputsTest, MessagesToAClosedStderrAreNotWrittenToTheResult) {
  search({"-o", "open.csv"});
  EXPECT_EQ(search({"-o", "closed.csv", "-v", "--progress", "always"}, {.close_stderr = true}).exit_code, 0);
  EXPECT_EQ(read_file("closed.csv"), read_file("open.csv"));
}

TEST_F(OutputsTest, AVariableSetsItsOptionAndTheOptionWins) {
  const Settings settings{.variables = {{"KANN_THREADS", "2"}}};
  EXPECT_NE(search({"-o", "a.npz"}, settings).err.find(" on CPU (2 threads): "), std::string::npos);
  EXPECT_NE(search({"-o", "b.npz", "--threads", "1"}, settings).err.find(" on CPU (1 thread): "), std::string::npos);
}

}  // namespace
}  // namespace kann::test
