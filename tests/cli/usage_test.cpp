// Errors of the program: one line on stderr, nothing on stdout, and the exit code of the kind of error.
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "kann/device.hpp"
#include "kann/search.hpp"

#include "run_kann.hpp"

namespace kann::test {
namespace {

using UsageTest = ProgramTest;

TEST_F(UsageTest, OptionsThatAreWrong) {
  expect_refused("--ouput x", 2, "unknown option '--ouput'; did you mean '--output'?");
  expect_refused("--data a.ply --k abc", 2, "--k expects a whole number of at least 1, got 'abc'");
  expect_refused("--data a.ply --k", 2, "--k expects a value (N|all), got none");
  expect_refused("a.ply", 3, "a.ply: No such file or directory");
  expect_refused("--data a.ply b.ply", 2,
                 "unexpected argument 'b.ply'; clouds are given as --data FILE and --query FILE, or as words without "
                 "options: kann DATA QUERY");
  expect_refused("", 2, "--data FILE is required, as in: kann pts.ply q.ply -k 8; see kann --help");
  expect_refused("--data a.ply", 2, "KANN_THREADS expects a whole number from 0 to 1024, got '1.5'",
                 {.variables = {{"KANN_THREADS", "1.5"}}});
}

TEST_F(UsageTest, UnknownVariablesAreRefused) {
  write_cloud("q.xyz", 20, 1);
  for (const char* value : {"0.99", ""})
    expect_refused(
        "--data q.xyz --device cpu -q", 2,
        "unknown variable 'KANN_MIN_RECALL'; kann reads KANN_DEVICE, KANN_THREADS, KANN_PROGRESS, KANN_COLOR",
        {.variables = {{"KANN_MIN_RECALL", value}}});
  const Settings settings{.variables = {{"KANN_DEVCE", "cpu"}}};
  const Outcome o = kann("--data q.xyz --json", settings);
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_TRUE(has(o.out, "unknown variable 'KANN_DEVCE'; did you mean"));
  EXPECT_EQ(kann("--help", settings).err, "");
}

TEST_F(UsageTest, AMessageIsOneLine) {
  expect_refused("--data a\nb.ply --force", 3, "a\\x0ab.ply: No such file or directory");
}

TEST_F(UsageTest, InputsThatAreMissingOrUnusable) {
  write_cloud("q.xyz", 20, 1);
  expect_refused("--data nope.ply", 3, "nope.ply: No such file or directory");
  expect_refused("--data q.xyz --query nope.ply", 3, "nope.ply: No such file or directory");
  expect_refused("--data q.xzy", 3, "q.xzy: No such file or directory; did you mean 'q.xyz'?");
  write_file("poi\nts.ply", "");
  expect_refused("--data points.ply", 3, "points.ply: No such file or directory; did you mean 'poi\\x0ats.ply'?");
  write_file("pts.ply",
             "ply\nformat binary_little_endian 1.0\nelement vertex 20\nproperty float x\nproperty float y\n"
             "property float z\nend_header\n" +
                 std::string(60, '\0'));
  expect_refused("--data pts.ply", 3, "pts.ply: vertex count 20 needs 240 bytes, file holds 60");
  write_file("pts.xyz", "1 2.5 3\n4 5,5 6\n");
  expect_refused("--data pts.xyz", 3,
                 "pts.xyz:2: column 2 is not a number: '5,5'; a comma is a decimal one if no coordinate has a point, "
                 "and one has not three digits after it");
}

TEST_F(UsageTest, InvalidCoordinatesAreRefusedOrSkipped) {
  write_file("pts.ply",
             "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
             "end_header\n0 0 0\n1 nan 0\n0 1 0\ninf 0 0\n");
  expect_refused("--data pts.ply --k 1", 3,
                 "pts.ply: 2 of 4 points have NaN or infinite coordinates (first: 1); use --invalid skip");
  const Outcome skipped = kann("--data pts.ply -k1 --invalid skip -o skipped.csv");
  EXPECT_TRUE(
      has(skipped.err, "4 queries x 1 neighbour among 4 points (2 points and 2 queries skipped as invalid) on "));
  const Outcome o = succeeds("--data pts.ply -k1 --invalid skip -o - --output-format csv -q");
  EXPECT_EQ(o.out, "query,rank,id,distance\n0,0,2,1\n1,0,-1,inf\n2,0,0,1\n3,0,-1,inf\n");
}

TEST_F(UsageTest, ACudaDeviceThatDoesNotExist) {
  write_cloud("q.xyz", 20, 1);
  const std::string error = error_of("--data q.xyz --device cuda:255", 5);
  EXPECT_TRUE(begins(error, "kann: error: no CUDA device ("));
  EXPECT_TRUE(has(error, "); use --device cpu\n"));
  EXPECT_EQ(files(), Names{"q.xyz"});
}

TEST_F(UsageTest, AResultLargerThanMemory) {
  write_cloud("q.xyz", 20, 1);
  const std::string error = error_of("--data q.xyz --device cpu --k 4611686018427387904", 4);
  EXPECT_TRUE(begins(error, "kann: error: host memory: "));
}

// The stack of a thread has 2 MiB or more, unless the limit of stacks is lower than usual.
TEST_F(UsageTest, ThreadsAskedForThatCannotBeStartedAreAnError) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer needs more address space than the limit of the test";
  write_cloud("q.xyz", 20, 1);
  const Settings narrow{.address_space = 400'000 * 1024ull};
  const std::regex line(
      "kann: error: --threads 1024: only \\d+ can be started \\(address space, or a limit on processes\\); use "
      "fewer\n");
  const std::string search = "--data q.xyz --device cpu --threads 1024 --report r.json --force";
  for (const std::string verify : {"", " --verify"}) {
    const std::string error = error_of(search + verify, 4, narrow);
    EXPECT_TRUE(std::regex_match(error, line)) << error;
    EXPECT_TRUE(has(read_file("r.json"), "--threads 1024: only "));
    EXPECT_EQ(files(), (Names{"q.xyz", "r.json"}));
  }
  succeeds("--data q.xyz --device cpu --threads 2", narrow);
}

TEST_F(UsageTest, DefaultThreadsThatCannotBeStartedAreAWarning) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer needs more address space than the limit of the test";
  write_cloud("q.xyz", 3000, 1);
  const Settings narrow{.variables = {{"OMP_NUM_THREADS", "1024"}}, .address_space = 400'000 * 1024ull};
  const Outcome o = succeeds("--data q.xyz --device cpu --verify -o narrow.npz", narrow);
  std::smatch counts;
  EXPECT_TRUE(std::regex_search(
      o.err, counts,
      std::regex("^kann: warning: not all of 1024 threads can be started \\(address space, or a limit on processes\\); "
                 "(\\d+) do the work\n")))
      << o.err;
  EXPECT_TRUE(has(o.err, " on CPU (" + counts[1].str() + " thread"));
  EXPECT_EQ(read_file("narrow.npz"), written("--data q.xyz --device cpu -o wide.npz", "wide.npz"));
}

/// Each file that an example reads is a copy of one cloud.
TEST_F(UsageTest, TheExamplesOfTheHelpRun) {
  write_cloud("pts.xyz", 2000, 1);
  succeeds("--data pts.xyz -k 1 -o pts.ply");
  std::istringstream help(kann("-h").out);
  int examples = 0;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  kann ")) continue;
    const std::string example = line.substr(7);
    for (const std::string& word : words_of(example))
      if (word.ends_with(".ply") && word != "pts.ply") std::filesystem::copy_file(path("pts.ply"), path(word));
    EXPECT_FALSE(has(succeeds(example).err, "warning"));
    ++examples;
  }
  EXPECT_EQ(examples, 3);
}

TEST_F(UsageTest, GenerateGoesToStdout) {
  for (const auto& [word, start] : {std::pair{"man", ".\\\" Printed by kann --generate man.\n.TH KANN 1 "},
                                    {"complete-bash", "# bash completion for kann,"},
                                    {"complete-zsh", "#compdef kann\n"},
                                    {"complete-fish", "# fish completion for kann,"},
                                    {"markdown", "# Options\n"}}) {
    const Outcome o = succeeds(std::string("--generate ") + word);
    EXPECT_TRUE(begins(o.out, start));
    EXPECT_EQ(o.err, "");
  }
  expect_refused("--generate html", 2,
                 "--generate expects man, complete-bash, complete-zsh, complete-fish or markdown, got 'html'");
  EXPECT_EQ(files(), Names());
}

TEST_F(UsageTest, HelpAndVersionGoToStdout) {
  const Outcome help = succeeds("--help");
  EXPECT_TRUE(begins(help.out, "Examples:\n  kann map.ply "));
  EXPECT_EQ(help.err, "");
  const Outcome version = succeeds("--version");
  EXPECT_TRUE(begins(version.out, "kann "));
  EXPECT_EQ(version.err, "");
}

/// As pip puts them: the one of the package kann-cuda13 beside the one of kann.
TEST_F(UsageTest, AProgramWithoutCudaRunsTheOneWithItOfTheSameVersion) {
  namespace fs = std::filesystem;
  fs::copy_file(KANN_PROGRAM, path("kann"));
  const auto out = [&] {
    EXPECT_EQ(std::system(("cd '" + path("").string() + "' && ./kann info -h '$x' >out").c_str()), 0);
    return read_file("out");
  };
  const std::string help = out();
  EXPECT_TRUE(has(help, "kann info"));
  const std::string name = "kann-" + std::string(version()) + "-cuda13", text = "#!/bin/sh\necho \"$*\"\n";
  write_file("kann-0-cuda13", text);
  write_file(name, text);
  fs::permissions(path("kann-0-cuda13"), fs::perms::all);
  EXPECT_EQ(out(), help) << "another version, and one that may not be executed";
  fs::permissions(path(name), fs::perms::all);
  EXPECT_EQ(out(), cuda_status().reason == "built without CUDA" ? "info -h $x\n" : help);
}

}  // namespace
}  // namespace kann::test
