// Messages on stderr of runs that succeed: summary, warnings, details, colour and progress.
#include <cctype>
#include <regex>

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
  EXPECT_TRUE(std::regex_match(o.err, std::regex("kann: 500 queries x 8 neighbours among 500 points on CPU "
                                                 "\\(2 threads\\): read [0-9.]+ m?s, search [0-9.]+ m?s, "
                                                 "write [0-9.]+ m?s; approximate, recall [01]\\.\\d{4} "
                                                 "\\(500 queries sampled\\)\n")))
      << o.err;
}

TEST_F(MessagesTest, TheSummaryOfAnExactAnswerSaysSo) {
  for (const std::string k : {"-k1", "-k8", "-k16", "-k17", "-k100"}) {
    const Outcome o = kann("--data pts.xyz " + k);
    EXPECT_TRUE(std::regex_match(o.err, std::regex("kann: 500 queries x .* write [0-9.]+ m?s; exact\n"))) << o.err;
  }
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
  const Outcome o = succeeds("--data uniform.xyz --method shifted-sort --window 1");
  EXPECT_TRUE(begins(o.err,
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
  const Outcome o = succeeds("--data tri.xyz --query pts.xyz");
  EXPECT_TRUE(
      begins(o.err, "kann: warning: k=8 but tri.xyz has 3 points; missing neighbours are id -1, distance inf\n"));
}

TEST_F(MessagesTest, VerifyPrintsOneLine) {
  const Outcome o = succeeds("--data pts.xyz --verify 200 --min-recall 0.9");
  EXPECT_TRUE(std::regex_search(
      o.err, std::regex("\nkann: verify: 200 of 500 queries against exact rows \\(double\\): recall [01]\\.\\d{4}, "
                        "mean distance ratio \\d\\.\\d{4}, \\d+ all-correct, \\d+ identical; method exact\n$")))
      << o.err;
}

TEST_F(MessagesTest, LowRecallFailsAndKeepsTheResult) {
  const Outcome o = kann("--data pts.xyz --method shifted-sort --shifts 1 --window 1 --verify --min-recall 0.99");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_EQ(o.out, "pts.knn.npz\n");
  EXPECT_TRUE(std::regex_search(o.err, std::regex("kann: error: recall 0\\.\\d{4} is below --min-recall 0\\.99; "
                                                  "the result is in pts\\.knn\\.npz all the same\n$")))
      << o.err;
  EXPECT_FALSE(read_file("pts.knn.npz").empty());
}

TEST_F(MessagesTest, AMinimumAloneIsChecked) {
  const std::string error =
      error_of("--data pts.xyz --method shifted-sort --shifts 1 --window 1 --min-recall 0.99 -q", 1);
  EXPECT_TRUE(std::regex_match(error, std::regex("kann: error: recall 0\\.\\d{4} is below --min-recall 0\\.99; "
                                                 "the result is in pts\\.knn\\.npz all the same\n")))
      << error;
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

  const Outcome failed = kann("--data nope.xyz --progress always");
  EXPECT_TRUE(has(failed.err, erase + "kann: error: nope.xyz"));
}

TEST_F(MessagesTest, ColumnsThatWereChosenAreInTheReport) {
  write_file("map.csv", "i,Easting,Northing,Height\n0,1,2,3\n1,4,5,6\n");
  const Outcome o = succeeds("--data map.csv -k1 --json --columns Easting,Northing,4");
  std::string joined;
  for (const char c : o.out)
    if (!std::isspace(static_cast<unsigned char>(c))) joined += c;
  EXPECT_TRUE(has(joined, R"("columns":["Easting","Northing","4"])")) << o.out;
}

TEST_F(MessagesTest, AnOptionWithoutEffectIsAWarning) {
  const Outcome o = succeeds("--data pts.xyz --query tri.xyz --include-self");
  EXPECT_TRUE(begins(o.err, "kann: warning: --include-self changes nothing with --query\n"));
}

}  // namespace
}  // namespace kann::test
