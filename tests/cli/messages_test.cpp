// Messages on stderr of runs that succeed: summary, warnings, details, colour and progress.
#include <cctype>
#include <regex>

#include "run_kann.hpp"

namespace kann::test {
namespace {

/// A folder with the clouds pts.xyz (500 points) and tri.xyz (3 points).
class MessagesTest : public ProgramTest {
 protected:
  MessagesTest() {
    write_cloud("pts.xyz", 500, 1);
    write_cloud("tri.xyz", 3, 2);
  }

  Outcome search(std::vector<std::string> more, const Settings& settings = {}) const {
    more.insert(more.end(), {"--device", "cpu", "--force"});
    return run(more, settings);
  }
};

TEST_F(MessagesTest, TheSummaryIsOneLine) {
  const Outcome o = search({"--data", "pts.xyz", "--threads", "2", "--method", "shifted-sort"});
  EXPECT_TRUE(std::regex_match(o.err, std::regex("kann: 500 queries x 8 neighbours among 500 points on CPU "
                                                 "\\(2 threads\\): read [0-9.]+ m?s, search [0-9.]+ m?s, "
                                                 "write [0-9.]+ m?s; approximate, recall [01]\\.\\d{4} "
                                                 "\\(500 queries sampled\\)\n")))
      << o.err;
}

TEST_F(MessagesTest, TheSummaryOfAnExactAnswerSaysSo) {
  for (const char* k : {"-k1", "-k8", "-k16", "-k17", "-k100"}) {
    const Outcome o = search({"--data", "pts.xyz", k});
    EXPECT_TRUE(std::regex_match(o.err, std::regex("kann: 500 queries x .* write [0-9.]+ m?s; exact\n"))) << o.err;
  }
}

TEST_F(MessagesTest, ALowRecallIsAWarning) {
  write_cloud("uniform.xyz", 3000, 4);
  const Outcome o = search({"--data", "uniform.xyz", "--method", "shifted-sort", "--shifts", "1"});
  EXPECT_EQ(o.exit_code, 0);
  std::smatch found;
  ASSERT_TRUE(std::regex_search(o.err, found,
                                std::regex("^kann: warning: the approximate answer has recall (0\\.\\d{4}) \\(of 1024 "
                                           "queries, searched exactly\\); a wider --window finds more, --exact all\n")))
      << o.err;
  EXPECT_LT(found.str(1), "0.95");
  EXPECT_NE(o.err.find("; approximate, recall " + found.str(1) + " (1024 queries sampled)\n"), std::string::npos)
      << o.err;
  EXPECT_EQ(search({"--data", "uniform.xyz", "--method", "shifted-sort"}).err.find("warning"), std::string::npos);
}

TEST_F(MessagesTest, RowsThatAWindowCutsShortAreAWarning) {
  write_cloud("uniform.xyz", 3000, 4);
  const Outcome o = search({"--data", "uniform.xyz", "--method", "shifted-sort", "--window", "1"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.err.find("kann: warning: --window 1 is too narrow for k=8: 3000 rows have fewer neighbours; missing ones "
                       "are id -1, distance inf\n"),
            0u)
      << o.err;
}

TEST_F(MessagesTest, DistancesPastFloat32AreAWarning) {
  write_file("wide.xyz", "0 0 0\n1 0 0\n1e39 0 0\n");
  const std::string inf = "larger than float32 can hold and";
  for (const char* method : {"--method=exact", "--method=shifted-sort"}) {
    EXPECT_EQ(search({"--data", "wide.xyz", method, "-k1"})
                  .err.find("kann: warning: 1 distance is " + inf + " is written as inf\n"),
              0u);
    EXPECT_EQ(search({"--data", "wide.xyz", method, "-k2"})
                  .err.find("kann: warning: 4 distances are " + inf + " are written as inf\n"),
              0u);
  }
}

TEST_F(MessagesTest, FewerPointsThanKAreAWarning) {
  const Outcome o = search({"--data", "tri.xyz", "--query", "pts.xyz"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.err.find("kann: warning: k=8 but tri.xyz has 3 points; missing neighbours are id -1, distance inf\n"), 0u)
      << o.err;
}

TEST_F(MessagesTest, VerifyPrintsOneLine) {
  const Outcome o = search({"--data", "pts.xyz", "--verify", "200", "--min-recall", "0.9"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_TRUE(std::regex_search(
      o.err, std::regex("\nkann: verify: 200 of 500 queries against exact rows \\(double\\): recall [01]\\.\\d{4}, "
                        "mean distance ratio \\d\\.\\d{4}, \\d+ all-correct, \\d+ identical; method exact\n$")))
      << o.err;
}

TEST_F(MessagesTest, LowRecallFailsAndKeepsTheResult) {
  const Outcome o = search({"--data", "pts.xyz", "--method", "shifted-sort", "--shifts", "1", "--window", "1",
                            "--verify", "--min-recall", "0.99"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_EQ(o.out, "pts.knn.npz\n");
  EXPECT_TRUE(std::regex_search(o.err, std::regex("kann: error: recall 0\\.\\d{4} is below --min-recall 0\\.99; "
                                                  "the result is in pts\\.knn\\.npz all the same\n$")))
      << o.err;
  EXPECT_FALSE(read_file("pts.knn.npz").empty());
}

TEST_F(MessagesTest, AMinimumAloneIsChecked) {
  const Outcome o = search({"--data", "pts.xyz", "--method", "shifted-sort", "--shifts", "1", "--window", "1",
                            "--min-recall", "0.99", "-q"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_TRUE(std::regex_match(o.err, std::regex("kann: error: recall 0\\.\\d{4} is below --min-recall 0\\.99; "
                                                 "the result is in pts\\.knn\\.npz all the same\n")))
      << o.err;
  EXPECT_EQ(search({"--data", "pts.xyz", "--min-recall", "0.9"}).exit_code, 0);
}

TEST_F(MessagesTest, WhatCannotBeCheckedPassesNoCheck) {
  write_file("none.xyz", "");
  write_file("none.npy", std::string("\x93NUMPY\x01\x00\x46\x00", 10) +
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }          \n");
  write_file("nan.xyz", "nan 0 0\n0 nan 0\n");
  write_file("one.xyz", "1 2 3\n");
  const std::string no_query = "nothing could be checked: there is no valid query";
  const std::string no_point = "nothing could be checked: no query has a point that could be its neighbour";
  for (const auto& [clouds, reason] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--data", "none.npy"}, no_query},
           {{"--data", "pts.xyz", "--query", "none.npy"}, no_query},
           {{"--data", "none.npy", "--query", "tri.xyz"}, no_point},
           {{"--data", "pts.xyz", "--query", "nan.xyz", "--invalid", "skip"}, no_query},
           {{"--data", "nan.xyz", "--query", "tri.xyz", "--invalid", "skip"}, no_point},
           {{"--data", "nan.xyz", "--invalid", "skip"}, no_query},
           {{"--data", "one.xyz"}, no_point}})
    for (const auto& [check, name] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"--method", "shifted-sort", "--min-recall", "0"}, "--min-recall"},
             {{"--method", "shifted-sort", "--verify", "10", "--min-recall", "1"}, "--min-recall"},
             {{"--verify"}, "--verify"},
             {{"--method", "shifted-sort", "--verify"}, ""}}) {
      std::vector<std::string> arguments = clouds;
      arguments.insert(arguments.end(), {"-o", "out.csv"});
      arguments.insert(arguments.end(), check.begin(), check.end());
      const Outcome o = search(arguments);
      EXPECT_EQ(o.exit_code, name.empty() ? 0 : 1) << o.err;
      const std::string line =
          name.empty() ? "kann: warning: --verify: " + reason + "\n"
                       : "kann: error: " + name + ": " + reason + "; the result is in out.csv all the same\n";
      EXPECT_TRUE(o.err.ends_with(line)) << o.err;
      EXPECT_EQ(o.err.find("recall"), name == "--min-recall" ? o.err.find("min-recall") + 4 : std::string::npos)
          << o.err;
      EXPECT_EQ(o.out, "out.csv\n");
    }
}

TEST_F(MessagesTest, MoreNeighboursThanPointsCanBeChecked) {
  for (const char* k : {"2", "3", "8"}) {
    const Outcome o = search({"--data", "tri.xyz", "-k", k, "--min-recall", "1"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_NE(o.err.find("recall 1.0000, mean distance ratio 1.0000, 3 all-correct, 3 identical"), std::string::npos);
  }
}

TEST_F(MessagesTest, QuietPrintsOnlyErrorsAndThePath) {
  Outcome o = search({"--data", "tri.xyz", "--verify", "-q"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.out, "tri.knn.npz\n");
  EXPECT_EQ(o.err, "");
  o = search({"--data", "nope.xyz", "-q"});
  EXPECT_EQ(o.err, "kann: error: nope.xyz: No such file or directory\n");
}

TEST_F(MessagesTest, VerboseAddsTheStepsOfTheDevice) {
  const std::regex steps(
      "\nkann: steps: prepare .* m?s, encode .* m?s, sort .* m?s, rank .* m?s, boxes .* m?s, select .* m?s, rows "
      "[0-9.]* m?s\n");
  const Outcome o = search({"--data", "pts.xyz", "-v"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_TRUE(std::regex_search(o.err, steps)) << o.err;
  EXPECT_NE(o.err.find("\nkann: method: exact\n"), std::string::npos) << o.err;
  EXPECT_EQ(o.err.find("CUDA"), std::string::npos) << o.err;

  const Outcome any = run({"--data", "pts.xyz", "-v", "--force"});
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
  const std::vector<std::string> skip = {"--data", "pts.xyz", "--query", "holes.xyz", "--invalid", "skip"};
  for (const auto& [asked, line] : {std::pair{"100", "verify: 100 of 503 queries"},
                                    {"503", "verify: 503 of 503 queries"},
                                    {"506", "verify: 503 of 503 queries"},
                                    {"all", "verify: 503 of 503 queries"}}) {
    std::vector<std::string> arguments = skip;
    arguments.insert(arguments.end(), {"--verify", asked});
    const Outcome o = search(arguments);
    EXPECT_EQ(o.exit_code, 0) << asked;
    EXPECT_NE(o.err.find(line), std::string::npos) << o.err;
  }
}

TEST_F(MessagesTest, ColorNeedsATerminalOrTheOption) {
  const std::vector<std::string> with_warning = {"--data", "tri.xyz"};
  EXPECT_EQ(search(with_warning).err.find('\x1b'), std::string::npos);
  const Outcome o = search({"--data", "tri.xyz", "--color", "always"}, {.variables = {{"NO_COLOR", "1"}}});
  EXPECT_NE(o.err.find("kann: \x1b["), std::string::npos);
  EXPECT_NE(o.err.find("warning: \x1b[m"), std::string::npos) << o.err;
  EXPECT_EQ(search({"--data", "tri.xyz", "--color", "never"}).err.find('\x1b'), std::string::npos);
  EXPECT_NE(search({"--data", "nope.xyz", "--color=always"}).err.find('\x1b'), std::string::npos);
}

TEST_F(MessagesTest, ProgressIsErasedBeforeOtherLines) {
  EXPECT_EQ(search({"--data", "pts.xyz"}).err.find('\r'), std::string::npos);
  const Outcome o = search({"--data", "tri.xyz", "--progress", "always"});
  EXPECT_EQ(o.exit_code, 0);
  const std::string erase = "\r\x1b[K";
  EXPECT_EQ(o.err.find(erase + "kann: read tri.xyz" + erase), 0u) << o.err;
  EXPECT_NE(o.err.find(erase + "kann: search" + erase), std::string::npos) << o.err;
  for (const std::string line : {"kann: warning: k=8", "kann: 3 queries x 8"})
    EXPECT_NE(o.err.find(erase + line), std::string::npos) << o.err;
  EXPECT_EQ(o.err.find('\r', o.err.find("kann: 3 queries")), std::string::npos) << o.err;

  const Outcome verified = search({"--data", "pts.xyz", "--progress", "always", "--verify"});
  EXPECT_NE(verified.err.find(erase + "kann: verify" + erase + "kann: verify: 500 of"), std::string::npos)
      << verified.err;

  const Outcome failed = search({"--data", "nope.xyz", "--progress", "always"});
  EXPECT_NE(failed.err.find(erase + "kann: error: nope.xyz"), std::string::npos) << failed.err;
}

TEST_F(MessagesTest, ColumnsThatWereChosenAreInTheReport) {
  write_file("map.csv", "i,Easting,Northing,Height\n0,1,2,3\n1,4,5,6\n");
  const Outcome o = search({"--data", "map.csv", "-k1", "--json", "--columns", "Easting,Northing,4"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  std::string joined;
  for (const char c : o.out)
    if (!std::isspace(static_cast<unsigned char>(c))) joined += c;
  EXPECT_NE(joined.find(R"("columns":["Easting","Northing","4"])"), std::string::npos) << o.out;
}

TEST_F(MessagesTest, AnOptionWithoutEffectIsAWarning) {
  const Outcome o = search({"--data", "pts.xyz", "--query", "tri.xyz", "--include-self"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.err.find("kann: warning: --include-self changes nothing with --query\n"), 0u) << o.err;
}

}  // namespace
}  // namespace kann::test
