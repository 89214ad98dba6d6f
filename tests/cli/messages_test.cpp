// Messages: those of runs that succeed (summary, warnings, details, colour and progress), and errors, which are one
// line on stderr, nothing on stdout, and the exit code of the kind of error.
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "kann/device.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

/// A folder with the clouds pts.xyz (500 points) and tri.xyz (3 points).
class MessagesTest : public ProgramTest {
 protected:
  MessagesTest() : ProgramTest("--device cpu --force") {
    write_cloud("pts.xyz", 500, 1);
    write_cloud("tri.xyz", 3, 2);
  }
};

TEST_F(MessagesTest, TheSummaryIsOneLine) {
  const Outcome o = kann("--data pts.xyz --threads 2 --method shifted-sort");
  EXPECT_TRUE(std::regex_match(
      o.err, std::regex("kann: 500 queries x 8 neighbours among 500 points on CPU "
                        "\\(2 threads\\): read [0-9.]+ m?s, search [0-9.]+ m?s, "
                        "write [0-9.]+ m?s(| \\(.* of it the disk\\)); approximate, recall [01]\\.\\d{4} "
                        "\\(500 queries sampled\\)\n")))
      << o.err;
}

TEST_F(MessagesTest, ALowRecallIsAWarning) {
  write_cloud("uniform.xyz", 3000, 4);
  const Outcome o = succeeds("--data uniform.xyz --method shifted-sort --shifts 1");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(o.err, found,
                                std::regex("^kann: warning: the approximate answer has recall (0\\.\\d{4}) \\(of 1024 "
                                           "queries, searched exactly\\); a wider --window finds more, --exact all\n")))
      << o.err;
  EXPECT_LT(found.str(1), "0.95");
  EXPECT_TRUE(has(o.err, "; approximate, recall " + found.str(1) + " (1024 queries sampled)\n"));
  EXPECT_FALSE(has(kann("--data uniform.xyz --method shifted-sort").err, "warning"));
}

TEST_F(MessagesTest, RowsThatAWindowCutsShortAreAWarning) {
  write_cloud("uniform.xyz", 3000, 4);
  EXPECT_TRUE(begins(succeeds("--data uniform.xyz --method shifted-sort --window 1").err,
                     "kann: warning: --window 1 is too narrow for k=8: 3000 rows have fewer neighbours; missing ones "
                     "are id -1, distance inf\n"));
}

TEST_F(MessagesTest, DistancesPastFloat32AreAWarning) {
  write_file("wide.xyz", "0 0 0\n1 0 0\n1e39 0 0\n");
  const std::string inf = "larger than float32 can hold and";
  for (const std::string method : {"exact", "shifted-sort"}) {
    EXPECT_TRUE(begins(kann("--data wide.xyz -k1 --method " + method).err,
                       "kann: warning: 1 distance is " + inf + " is written as inf\n"));
    EXPECT_TRUE(begins(kann("--data wide.xyz -k2 --method " + method).err,
                       "kann: warning: 4 distances are " + inf + " are written as inf\n"));
  }
}

TEST_F(MessagesTest, FewerPointsThanKAreAWarning) {
  EXPECT_TRUE(begins(succeeds("--data tri.xyz --query pts.xyz").err,
                     "kann: warning: k=8 but tri.xyz has 3 points; missing neighbours are id -1, distance inf\n"));
}

/// With --verify, and by the minimum alone.
TEST_F(MessagesTest, LowRecallFailsAndKeepsTheResult) {
  const std::regex line(
      "kann: error: recall 0\\.\\d{4} is below --min-recall 0\\.99; the result is in pts\\.knn\\.npz all the "
      "same\n");
  const std::string poor = "--data pts.xyz --method shifted-sort --shifts 1 --window 1 --min-recall 0.99";
  const Outcome o = kann(poor + " --verify"), quiet = kann(poor + " -q");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_EQ(o.out, "pts.knn.npz\n");
  EXPECT_TRUE(std::regex_search(o.err, line)) << o.err;
  EXPECT_FALSE(read_file("pts.knn.npz").empty());
  EXPECT_EQ(quiet.exit_code, 1);
  EXPECT_TRUE(std::regex_match(quiet.err, line)) << quiet.err;
  succeeds("--data pts.xyz --min-recall 0.9");
}

TEST_F(MessagesTest, WhatCannotBeCheckedPassesNoCheck) {
  write_file("none.xyz", "");
  write_file("none.npy", std::string("\x93NUMPY\x01\x00\x46\x00", 10) +
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }          \n");
  write_file("nan.xyz", "nan 0 0\n0 nan 0\n");
  write_file("one.xyz", "1 2 3\n");
  const std::string no_query = "nothing could be checked: there is no valid query";
  const std::string no_point = "nothing could be checked: no query has a point that could be its neighbour";
  for (const auto& [clouds, reason] :
       std::vector<std::pair<std::string, std::string>>{{"--data none.npy", no_query},
                                                        {"--data pts.xyz --query none.npy", no_query},
                                                        {"--data none.npy --query tri.xyz", no_point},
                                                        {"--data pts.xyz --query nan.xyz --invalid skip", no_query},
                                                        {"--data nan.xyz --query tri.xyz --invalid skip", no_point},
                                                        {"--data nan.xyz --invalid skip", no_query},
                                                        {"--data one.xyz", no_point}})
    for (const auto& [check, name] : std::vector<std::pair<std::string, std::string>>{
             {"--method shifted-sort --min-recall 0", "--min-recall"},
             {"--method shifted-sort --verify 10 --min-recall 1", "--min-recall"},
             {"--verify", "--verify"},
             {"--method shifted-sort --verify", ""}}) {
      const Outcome o = kann("-o out.csv " + clouds + " " + check);
      EXPECT_EQ(o.exit_code, name.empty() ? 0 : 1) << o.err;
      const std::string line =
          name.empty() ? "kann: warning: --verify: " + reason + "\n"
                       : "kann: error: " + name + ": " + reason + "; the result is in out.csv all the same\n";
      EXPECT_TRUE(ends(o.err, line));
      EXPECT_EQ(o.err.find("recall"), name == "--min-recall" ? o.err.find("min-recall") + 4 : std::string::npos)
          << o.err;
      EXPECT_EQ(o.out, "out.csv\n");
    }
}

TEST_F(MessagesTest, MoreNeighboursThanPointsCanBeChecked) {
  for (const std::string k : {"2", "3", "8"})
    EXPECT_TRUE(has(succeeds("--data tri.xyz --min-recall 1 -k " + k).err,
                    "recall 1.0000, mean distance ratio 1.0000, 3 all-correct, 3 identical"));
}

TEST_F(MessagesTest, QuietPrintsOnlyErrorsAndThePath) {
  const Outcome o = succeeds("--data tri.xyz --verify -q");
  EXPECT_EQ(o.out, "tri.knn.npz\n");
  EXPECT_EQ(o.err, "");
  expect_refused("--data nope.xyz -q", 3, "nope.xyz: No such file or directory");
}

TEST_F(MessagesTest, VerboseAddsTheStepsOfTheDevice) {
  const std::regex steps(
      "\nkann: steps: prepare .* m?s, encode .* m?s, sort .* m?s, rank .* m?s, boxes .* m?s, select .* m?s, rows "
      "[0-9.]* m?s\n");
  const Outcome o = succeeds("--data pts.xyz -v");
  EXPECT_TRUE(std::regex_search(o.err, steps)) << o.err;
  EXPECT_TRUE(has(o.err, "\nkann: method: exact\n"));
  EXPECT_FALSE(has(o.err, "CUDA"));

  const Outcome any = run("--data pts.xyz -v --force");
  const bool on_cpu = any.err.find(" on CPU (") != std::string::npos;
  EXPECT_EQ(std::regex_search(any.err, steps), on_cpu) << any.err;
  EXPECT_EQ(any.err.find("CUDA took ") == std::string::npos, on_cpu) << any.err;
  EXPECT_EQ(any.err.find(", upload ") == std::string::npos, on_cpu) << any.err;
  // Seven points, with or without a CUDA device
  EXPECT_TRUE(std::regex_search(
      any.err, std::regex("\nkann: --device auto took the CPU: (about \\d+ ms by the CPU; a CUDA "
                          "device is taken from \\d+ ms on|no CUDA device \\(built without CUDA\\))\n")))
      << any.err;
}

TEST_F(MessagesTest, VerifySamplesValidQueriesOnly) {
  write_file("holes.xyz", read_file("pts.xyz") + "nan 0 0\n0 inf 0\n0 0 -inf\n" + read_file("tri.xyz"));
  for (const auto& [asked, judged] :
       {std::pair<std::string, std::string>{"100", "100"}, {"503", "503"}, {"506", "503"}, {"all", "503"}})
    EXPECT_TRUE(has(succeeds("--data pts.xyz --query holes.xyz --invalid skip --verify " + asked).err,
                    "verify: " + judged + " of 503 queries"));
}

TEST_F(MessagesTest, ColorNeedsATerminalOrTheOption) {
  EXPECT_FALSE(has(kann("--data tri.xyz").err, "\x1b"));
  const Outcome o = kann("--data tri.xyz --color always", {.variables = {{"NO_COLOR", "1"}}});
  EXPECT_TRUE(has(o.err, "kann: \x1b["));
  EXPECT_TRUE(has(o.err, "warning: \x1b[m"));
  EXPECT_FALSE(has(kann("--data tri.xyz --color never").err, "\x1b"));
  EXPECT_TRUE(has(kann("--data nope.xyz --color=always").err, "\x1b"));
}

TEST_F(MessagesTest, ProgressIsErasedBeforeOtherLines) {
  EXPECT_FALSE(has(kann("--data pts.xyz").err, "\r"));
  const Outcome o = succeeds("--data tri.xyz --progress always");
  const std::string erase = "\r\x1b[K";
  EXPECT_TRUE(begins(o.err, erase + "kann: read tri.xyz" + erase));
  EXPECT_TRUE(has(o.err, erase + "kann: search" + erase));
  for (const std::string line : {"kann: warning: k=8", "kann: 3 queries x 8"}) EXPECT_TRUE(has(o.err, erase + line));
  EXPECT_EQ(o.err.find('\r', o.err.find("kann: 3 queries")), std::string::npos) << o.err;

  const Outcome verified = kann("--data pts.xyz --progress always --verify");
  EXPECT_TRUE(has(verified.err, erase + "kann: verify" + erase + "kann: verify: 500 of"));

  EXPECT_TRUE(has(kann("--data nope.xyz --progress always").err, erase + "kann: error: nope.xyz"));
}

TEST_F(MessagesTest, ColumnsThatWereChosenAreInTheReport) {
  write_file("map.csv", "i,Easting,Northing,Height\n0,1,2,3\n1,4,5,6\n");
  const json report = json::parse(succeeds("--data map.csv -k1 --json --columns Easting,Northing,4").out);
  EXPECT_EQ(report["data"]["columns"], (json{"Easting", "Northing", "4"}));
}

TEST_F(MessagesTest, AnOptionWithoutEffectIsAWarning) {
  const Outcome o = succeeds("--data pts.xyz --query tri.xyz --include-self");
  EXPECT_TRUE(begins(o.err, "kann: warning: --include-self changes nothing with --query\n"));
  const Outcome half = succeeds("--data pts.xyz -k all --radius 0 --pairs half --include-self -o p.csv");
  EXPECT_TRUE(begins(half.err, "kann: warning: --include-self changes nothing with --pairs half\n"));
}

using UsageTest = ProgramTest;

TEST_F(UsageTest, OptionsThatAreWrong) {
  expect_refused("--ouput x", 2, "unknown option '--ouput'; did you mean '--output'?");
  expect_refused("a.ply", 3, "a.ply: No such file or directory");
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
                 "pts.xyz:2: column 2 is not a number: '5,5'; commas are decimal ones if no coordinate has a point, "
                 "and one cannot be of thousands, as 0,125 or 1,25");
}

TEST_F(UsageTest, InvalidCoordinatesAreRefusedOrSkipped) {
  write_file("pts.ply",
             "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
             "end_header\n0 0 0\n1 nan 0\n0 1 0\ninf 0 0\n");
  expect_refused("--data pts.ply --k 1", 3,
                 "pts.ply: 2 of 4 points have NaN or infinite coordinates (first: 1); use --invalid skip");
  EXPECT_TRUE(has(kann("--data pts.ply -k1 --invalid skip -o skipped.csv").err,
                  "4 queries x 1 neighbour among 4 points (2 points and 2 queries skipped as invalid) on "));
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
  EXPECT_TRUE(begins(error_of("--data q.xyz --device cpu --k 4611686018427387904", 4), "kann: error: host memory: "));
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

/// Whether that is in memory or in tiles.
TEST_F(UsageTest, FewAddressesSuffice) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer needs more address space";
  const std::uint32_t size[] = {1'500'000, 3};
  std::string bytes(reinterpret_cast<const char*>(size), sizeof size);
  Random random(1);
  for (std::uint32_t i = 0; i < 3 * size[0]; ++i) {
    const auto x = static_cast<float>(random.uniform());
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  write_file("p.fbin", bytes);
  const std::string search = "--data p.fbin --device cpu --threads 2 -k 8 --force -o ";
  const std::string wanted = written(search + "w.npy", "w.npy");
  for (const std::uint64_t megabytes : {200, 250, 300, 400}) {
    succeeds(search + "r.npy", {.address_space = megabytes << 20});
    EXPECT_EQ(read_file("r.npy"), wanted) << megabytes;
  }
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
