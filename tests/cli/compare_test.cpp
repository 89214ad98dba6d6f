// --compare, as a user runs it.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare_fixture.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

const std::vector<std::string> k_poor{"--method", "shifted-sort", "--window", "2", "--shifts", "1"};

TEST_F(CompareTest, SaysHowGoodTheResultIs) {
  for (const char* format : {"npz", "npy", "bin", "ibin", "ivecs"}) {
    const int k = format == std::string("npz") ? 8 : 20;  // which says of which search it is
    prepare(format, std::to_string(k));
    const std::string truth = std::string("truth.") + format;
    const Outcome o = compare({"--exact", "--report", "r.json"}, truth);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(o.out, "nn.npz\n");
    EXPECT_TRUE(
        has(o, "kann: compare: 500 of 500 queries against " + truth + " (k 8 of " + std::to_string(k) +
                   "): recall 1.0000, mean distance ratio 1.0000, 500 all-correct, 500 identical; method exact\n"))
        << o.err;
    EXPECT_FALSE(has(o, "verify"));
    const json report = json::parse(read_file("r.json"));
    const json& c = report["compare"];
    EXPECT_EQ(c["path"], truth);
    EXPECT_EQ(c["k"], k);
    EXPECT_EQ(c["nearer_rows"], 0);
    EXPECT_EQ(c["queries"], 500);
    EXPECT_EQ(c["recall"], 1.0);
    EXPECT_EQ(c["all_correct"], 500);
    EXPECT_EQ(c["identical_rows"], 500);
    EXPECT_EQ(c["faulty_rows"], 0);
    EXPECT_FALSE(report.contains("verify"));
    EXPECT_TRUE(report["timing_s"].contains("compare"));
  }
}

TEST_F(CompareTest, TheRecallIsThatOfVerify) {
  prepare();
  std::vector<std::string> options = k_poor;
  options.insert(options.end(), {"--verify", "--report", "r.json"});
  EXPECT_EQ(compare(options).exit_code, 0);
  const json report = json::parse(read_file("r.json"));
  EXPECT_LT(report["compare"]["recall"], 0.9);
  for (const char* key : {"queries", "recall", "distance_ratio", "all_correct", "identical_rows", "faulty_rows"})
    EXPECT_EQ(report["compare"][key], report["verify"][key]) << key;
}

TEST_F(CompareTest, AMinimumJudgesIt) {
  prepare();
  std::vector<std::string> options = k_poor;
  options.insert(options.end(), {"--min-recall", "0.99"});
  const Outcome poor = compare(options);
  EXPECT_EQ(poor.exit_code, 1);
  EXPECT_TRUE(has(poor, " against truth.ivecs is below --min-recall 0.99; the result is in nn.npz all the same\n"))
      << poor.err;
  EXPECT_FALSE(has(poor, "verify"));
  EXPECT_EQ(compare({"--min-recall", "0.9"}).exit_code, 0);
  options.insert(options.end(), {"--verify", "--report", "r.json"});
  const Outcome both = compare(options);
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_TRUE(has(both, "kann: verify: ") && has(both, "kann: compare: ")) << both.err;
  const json report = json::parse(read_file("r.json"));
  EXPECT_TRUE(report.contains("verify") && report.contains("compare"));
  EXPECT_EQ(report["error"]["exit_code"], 1);
}

/// With both, the minimum is for both: the result's own neighbours as the truth do not make it good.
TEST_F(CompareTest, BothChecksMustPass) {
  prepare();
  std::vector<std::string> options = k_poor;
  EXPECT_EQ(compare(options).exit_code, 0);
  EXPECT_EQ(std::rename(path("nn.npz").c_str(), path("own.npz").c_str()), 0);
  options.insert(options.end(), {"--min-recall", "0.99"});
  EXPECT_EQ(compare(options, "own.npz").exit_code, 0);
  options.emplace_back("--verify");
  const Outcome o = compare(options, "own.npz");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_TRUE(has(o, "own.npz (k 8 of 8): recall 1.0000")) << o.err;
}

TEST_F(CompareTest, NothingToComparePassesNoCheck) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 1, 2);
  write_file("truth.ivecs", std::string("\x8\0\0\0", 4) + std::string(32, '\xff'));
  const Outcome o = compare();
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_TRUE(has(o,
                  "--compare truth.ivecs: nothing could be compared: it has no neighbour of any query; the result is "
                  "in nn.npz all the same\n"))
      << o.err;
  write_file("q.xyz", "x y z\n");
  write_file("truth.ivecs", "");
  EXPECT_EQ(compare().exit_code, 1);
}

TEST_F(CompareTest, TheStrictestMinimumCounts) {
  prepare();
  std::vector<std::string> options = k_poor;
  options.insert(options.end(), {"--min-recall", "0.99", "--min-recall", "0"});
  const Outcome o = compare(options);
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_TRUE(has(o, "is below --min-recall 0.99")) << o.err;
}

TEST_F(CompareTest, TheFileIsAnInputThatIsNeverReplaced) {
  prepare("npz");
  const std::string truth = read_file("truth.npz");
  const Outcome o = run({"--data", "pts.xyz", "--query", "q.xyz", "--device", "cpu", "-o", "truth.npz", "--force",
                         "--compare", "./truth.npz"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_TRUE(has(o, "truth.npz: is the input ./truth.npz; choose another --output")) << o.err;
  EXPECT_EQ(read_file("truth.npz"), truth);
}

TEST_F(CompareTest, ASelfQueryIsComparedWithoutThePointsThemselves) {
  write_cloud("q.xyz", 300, 1);
  EXPECT_EQ(
      run({"--data", "q.xyz", "-k", "9", "--exact", "--include-self", "-o", "truth.bin", "--device", "cpu"}).exit_code,
      0);
  const Outcome o =
      run({"--data", "q.xyz", "-k", "8", "--exact", "--compare", "truth.bin", "--min-recall", "1", "--device", "cpu"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(has(o, "300 identical")) << o.err;
}

}  // namespace
}  // namespace kann::test
