// --compare, as a user runs it.
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

class CompareTest : public ProgramTest {
 protected:
  /// 500 queries among as many other points, and their exact answer in truth.FORMAT.
  void prepare(const std::string& format = "ivecs", const std::string& k = "20") {
    write_cloud("pts.xyz", 500, 1);
    write_cloud("q.xyz", 500, 2);
    EXPECT_EQ(run({"--data", "pts.xyz", "--query", "q.xyz", "-k", k, "--exact", "--device", "cpu", "-o",
                   "truth." + format, "--force"})
                  .exit_code,
              0);
  }
  Outcome compare(std::vector<std::string> more = {}, const std::string& truth = "truth.ivecs") const {
    std::vector<std::string> all{"--data",   "pts.xyz", "--query", "q.xyz",     "--device", "cpu",
                                 "--output", "nn.npz",  "--force", "--compare", truth};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  static bool has(const Outcome& o, const std::string& text) { return o.err.find(text) != std::string::npos; }
};

const std::vector<std::string> k_poor{"--window", "2", "--shifts", "1"};

TEST_F(CompareTest, SaysHowGoodTheResultIs) {
  for (const char* format : {"npz", "npy", "bin", "ibin", "ivecs"}) {
    prepare(format);
    const std::string truth = std::string("truth.") + format;
    const Outcome o = compare({"--exact", "--report", "r.json"}, truth);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(o.out, "nn.npz\n");
    EXPECT_TRUE(has(o, "kann: compare: 500 queries against " + truth +
                           " (k 8 of 20): recall 1.0000, mean distance ratio 1.0000, 500 all-correct, 500 identical\n"))
        << o.err;
    EXPECT_FALSE(has(o, "verify"));
    const json report = json::parse(read_file("r.json"));
    const json& c = report["compare"];
    EXPECT_EQ(c["path"], truth);
    EXPECT_EQ(c["k"], 20);
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
  write_file("truth.ivecs", std::string("\2\0\0\0", 4) + std::string(8, '\xff'));
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

/// Before the search: no result is written.
TEST_F(CompareTest, AFileThatDoesNotBelongToTheCloudsIsRefused) {
  prepare("ibin");
  const std::string truth = read_file("truth.ibin");
  const auto refused = [&](const std::string& bytes, const std::string& message) {
    write_file("truth.ibin", bytes);
    const Outcome o = compare({}, "truth.ibin");
    EXPECT_EQ(o.exit_code, 3);
    EXPECT_EQ(o.err, "kann: error: truth.ibin: " + message + "\n");
    EXPECT_EQ(files(), (std::vector<std::string>{"pts.xyz", "q.xyz", "truth.ibin"}));
  };
  std::string other = truth;
  other.replace(8, 4, std::string("\xf4\x01\0\0", 4));
  refused(other, "row 0 has id 500 (data has 500 points)");
  refused(std::string("\1\0\0\0\2\0\0\0", 8) + std::string(8, '\0'), "not a row per query (got 1, need 500)");
  refused(truth.substr(0, 100), "500 queries with 20 neighbours need 40008 bytes, file holds 100");
  const Outcome missing = compare({}, "nope.bin");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(missing.err, "kann: error: nope.bin: No such file or directory\n");
}

/// A result of ours says what it is of. Before the search, one that lacks neighbours is refused, another k above is
/// not.
TEST_F(CompareTest, AResultOfAnotherSearchIsRefused) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 500, 2);
  write_cloud("more.xyz", 501, 1);
  const auto compared = [&](const std::vector<std::string>& truth, const std::vector<std::string>& now) {
    const auto search = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
      words.insert(words.end(), {"--exact", "--device", "cpu", "--force"});
      words.insert(words.end(), more.begin(), more.end());
      return run(words);
    };
    EXPECT_EQ(search({"-o", "truth.npz"}, truth).exit_code, 0);
    const Outcome o = search({"-o", "nn.npz", "--compare", "truth.npz", "--min-recall", "1"}, now);
    EXPECT_EQ(std::remove(path("nn.npz").c_str()) == 0, o.exit_code == 0);  // refused before the search
    if (o.exit_code == 0) return std::string();
    EXPECT_EQ(o.exit_code, 3) << o.err;
    EXPECT_EQ(o.err.find("kann: error: truth.npz: "), 0u) << o.err;
    return o.err.substr(24);
  };
  using Words = std::vector<std::string>;
  const Words pair{"--data", "pts.xyz", "--query", "q.xyz"}, self{"--data", "pts.xyz"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_EQ(compared(pair, pair), "");
  EXPECT_EQ(compared(with(pair, {"-k", "9"}), pair), "");
  EXPECT_EQ(compared(with(pair, {"-k", "7"}), pair), "a result of fewer neighbours per query (got k = 7, need 8)\n");
  EXPECT_EQ(compared(with(pair, {"-k", "500"}), with(pair, {"-k", "501"})), "");  // all points
  EXPECT_EQ(compared({"--data", "more.xyz", "--query", "q.xyz"}, pair),
            "the result of a search with other data (got 501 points, need 500)\n");
  EXPECT_EQ(compared({"--data", "pts.xyz", "--query", "more.xyz"}, pair),
            "the result of a search with other queries (got 501 points, need 500)\n");
  EXPECT_EQ(compared(with(pair, {"--radius", "0.5"}), pair),
            "a result within --radius 0.5, and this search has none\n");
  EXPECT_EQ(compared(with(pair, {"--radius", "0.1"}), with(pair, {"--radius", "0.5"})),
            "a result within --radius 0.1, and this search has 0.5\n");
  EXPECT_EQ(compared(with(pair, {"--radius", "0.5"}), with(pair, {"--radius", "0.5"})), "");
  EXPECT_EQ(compared(with(pair, {"--radius", "0.5"}), with(pair, {"--radius", "0.1"})), "");
  EXPECT_EQ(compared(pair, with(pair, {"--radius", "0.1"})), "");
  EXPECT_EQ(compared(with(pair, {"--periodic", "2,2,2"}), with(pair, {"--periodic", "2,2,2"})), "");
  EXPECT_EQ(compared(pair, with(pair, {"--periodic", "2,0,2"})),
            "a result in another periodic box (got none, need 2,0,2)\n");
  EXPECT_EQ(compared(with(pair, {"--periodic", "2,2,2"}), pair),
            "a result in another periodic box (got 2,2,2, need none)\n");
  EXPECT_EQ(compared(with(pair, {"--columns", "1,2"}), pair), "the result of a search in 2-D (need 3-D)\n");
  EXPECT_EQ(compared(with(self, {"-k", "499"}), with(self, {"-k", "500"})), "");  // all other points
  EXPECT_EQ(compared(self, self), "");
  EXPECT_EQ(compared(self, with(self, {"--include-self"})),
            "a result without the points themselves, which --include-self keeps\n");
  EXPECT_EQ(compared(self, {"--data", "pts.xyz", "--query", "pts.xyz"}),
            "a result without the points themselves, which are neighbours with --query\n");
  EXPECT_EQ(compared(with(self, {"--include-self"}), self),
            "a result with the points themselves, by --include-self (got k = 8, need 9 for --k 8)\n");
  EXPECT_EQ(compared(with(self, {"--include-self", "-k", "9"}), self), "");
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
