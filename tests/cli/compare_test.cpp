// --compare, as a user runs it.
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

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
    const int k = format == std::string("npz") ? 8 : 20;  // which says of which search it is
    prepare(format, std::to_string(k));
    const std::string truth = std::string("truth.") + format;
    const Outcome o = compare({"--exact", "--report", "r.json"}, truth);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(o.out, "nn.npz\n");
    EXPECT_TRUE(has(o, "kann: compare: 500 of 500 queries against " + truth + " (k 8 of " + std::to_string(k) +
                           "): recall 1.0000, mean distance ratio 1.0000, 500 all-correct, 500 identical\n"))
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

/// A result of ours says what it is of. Before the search, that of another one is refused.
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
  EXPECT_EQ(compared(with(pair, {"-k", "9"}), pair), "a result with another --k (got 9, need 8)\n");
  EXPECT_EQ(compared(with(pair, {"-k", "7"}), pair), "a result with another --k (got 7, need 8)\n");
  EXPECT_EQ(compared(with(pair, {"-k", "500"}), with(pair, {"-k", "501"})), "");  // all points
  EXPECT_EQ(compared({"--data", "more.xyz", "--query", "q.xyz"}, pair),
            "the result of a search with other data (got 501 points, need 500)\n");
  EXPECT_EQ(compared({"--data", "pts.xyz", "--query", "more.xyz"}, pair),
            "the result of a search with other queries (got 501 points, need 500)\n");
  EXPECT_EQ(compared(with(pair, {"--radius", "0.5"}), pair), "a result with another --radius (got 0.5, need none)\n");
  EXPECT_EQ(compared(with(pair, {"--radius", "0.1"}), with(pair, {"--radius", "0.5"})),
            "a result with another --radius (got 0.1, need 0.5)\n");
  EXPECT_EQ(compared(with(pair, {"--radius", "0.5"}), with(pair, {"--radius", "0.5"})), "");
  EXPECT_EQ(compared(with(pair, {"--radius", "0.5"}), with(pair, {"--radius", "0.1"})),
            "a result with another --radius (got 0.5, need 0.1)\n");
  EXPECT_EQ(compared(pair, with(pair, {"--radius", "0.1"})), "a result with another --radius (got none, need 0.1)\n");
  write_cloud("other.xyz", 500, 3);
  EXPECT_EQ(compared({"--data", "other.xyz", "--query", "q.xyz"}, pair),
            "the result of a search with other data: as many points, with other coordinates or in another order\n");
  EXPECT_EQ(compared({"--data", "pts.xyz", "--query", "other.xyz"}, pair),
            "the result of a search with other queries: as many points, with other coordinates or in another order\n");
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
  write_file("copy.xyz", read_file("pts.xyz"));
  EXPECT_EQ(compared(self, {"--data", "pts.xyz", "--query", "copy.xyz"}),
            "a result without the points themselves, which are neighbours with --query\n");
  EXPECT_EQ(compared(with(self, {"--include-self"}), self),
            "a result with the points themselves, by --include-self (got k = 8, need 9 for --k 8)\n");
  EXPECT_EQ(compared(with(self, {"--include-self", "-k", "9"}), self), "");
}

/// A ground truth of other clouds, of the queries in another order, or of the farthest points is beaten somewhere.
TEST_F(CompareTest, AGroundTruthThatIsNotExactFails) {
  for (const char* format : {"bin", "ibin", "ivecs"}) {
    prepare(format, "8");
    const std::string truth = read_file(std::string("truth.") + format), name = std::string("truth.") + format;
    const std::string message = "kann: error: --compare " + name +
                                ": it should have the nearest neighbours, but this result "
                                "has nearer ones in ";
    EXPECT_EQ(compare({"--exact"}, name).exit_code, 0);
    EXPECT_EQ(compare({}, name).exit_code, 0);  // approximate rows are never nearer
    const std::size_t row = format == std::string("ivecs") ? 36 : 32, begin = format == std::string("ivecs") ? 0 : 8;
    std::string reversed = truth;
    for (std::size_t i = 0; i < 500; ++i)
      reversed.replace(begin + i * row, row, truth.substr(begin + (499 - i) * row, row));
    write_file(name, reversed);
    const Outcome o = compare({"--exact"}, name);
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_TRUE(has(o, message)) << o.err;
    EXPECT_TRUE(
        has(o, " of 500 rows (first: row 0); it may be of other clouds, or in another order; the result is in "))
        << o.err;
    write_cloud("pts.xyz", 500, 4);
    write_file(name, truth);
    EXPECT_EQ(compare({"--exact"}, name).exit_code, 1);
  }
}

TEST_F(CompareTest, RowsOfWhichTheFileHasNothingAreNotJudged) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 3, 2);
  EXPECT_EQ(run({"--data", "pts.xyz", "--query", "q.xyz", "--exact", "--device", "cpu", "-o", "truth.npy", "-k", "2"})
                .exit_code,
            0);
  std::string truth = read_file("truth.npy");
  truth.replace(truth.size() - 16, 16, std::string(16, '\xff'));  // the last two rows of int32 ids
  write_file("truth.npy", truth);
  const Outcome o = compare({"--exact", "-k", "2", "--min-recall", "1"}, "truth.npy");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(has(o,
                  "kann: compare: 1 of 3 queries against truth.npy (k 2 of 2): recall 1.0000, mean distance ratio "
                  "1.0000, 1 all-correct, 1 identical\n"))
      << o.err;
  EXPECT_TRUE(
      has(o, "kann: warning: --compare truth.npy: it has no neighbour of 2 of 3 queries, which are not judged\n"))
      << o.err;
  const Outcome pinned = compare({"--exact", "-k", "2", "--min-recall", "1", "--expect", "judged=1"}, "truth.npy");
  EXPECT_EQ(pinned.exit_code, 1);
  EXPECT_TRUE(has(pinned, "--expect judged=1: this run has judged 0.333")) << pinned.err;
}

TEST_F(CompareTest, NeighborsThatTheFileLacksAreNotJudged) {
  prepare("npy", "2");
  std::string truth = read_file("truth.npy");
  for (std::size_t end = truth.size(); end > truth.size() - 4000; end -= 8)
    truth.replace(end - 4, 4, "\xff\xff\xff\xff");
  write_file("truth.npy", truth);
  const Outcome o = compare({"--exact", "-k", "2"}, "truth.npy");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(has(o, "kann: warning: --compare truth.npy: it has 500 of 1000 neighbours; the others are not judged\n"))
      << o.err;
  const Outcome pinned = compare({"--exact", "-k", "2", "--min-recall", "1", "--expect", "judged=1"}, "truth.npy");
  EXPECT_EQ(pinned.exit_code, 1);
  EXPECT_TRUE(has(pinned, "--expect judged=1: this run has judged 0.5")) << pinned.err;
}

/// An approximate result may be beaten, which is no fault. A file that does not say what it is may be one.
TEST_F(CompareTest, ThatAFileIsNoGroundTruthIsSaid) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 500, 2);
  for (const std::string name : {"truth.npz", "truth.npy"}) {
    EXPECT_EQ(
        run({"--data", "pts.xyz", "--query", "q.xyz", "--window", "9", "--shifts", "1", "--device", "cpu", "-o", name})
            .exit_code,
        0);
    const Outcome o = compare({"--exact"}, name);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(
        has(o, "kann: warning: --compare " + name + ": it is no ground truth: this result has nearer neighbours in "),
        name == "truth.npy")
        << o.err;
  }
}

TEST_F(CompareTest, AnIdTwiceOrFewerNeighborsAreRefused) {
  prepare("ibin", "8");
  std::string truth = read_file("truth.ibin");
  truth.replace(8 + 4, 4, truth.substr(8, 4));
  write_file("truth.ibin", truth);
  const Outcome o = compare({}, "truth.ibin");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_TRUE(has(o, "kann: error: truth.ibin: row 0 has id ") && has(o, " twice\n")) << o.err;
  prepare("ibin", "2");
  const Outcome fewer = compare({}, "truth.ibin");
  EXPECT_EQ(fewer.exit_code, 3);
  EXPECT_TRUE(has(fewer, "truth.ibin: has 2 neighbours per query (need 8; --k 2 searches for as many)\n")) << fewer.err;
}

TEST_F(CompareTest, TheStrictestMinimumCounts) {
  prepare();
  std::vector<std::string> options = k_poor;
  options.insert(options.end(), {"--min-recall", "0.99", "--min-recall", "0"});
  const Outcome o = compare(options);
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_TRUE(has(o, "is below --min-recall 0.99")) << o.err;
}

/// What is expected holds whatever a configuration says.
TEST_F(CompareTest, ARunThatIsNotTheExpectedOneFails) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 500, 2);
  const auto expect = [&](const std::string& pins, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"--data", "pts.xyz", "--query", "q.xyz",    "--device", "cpu",
                                 "-o",     "nn.npz",  "--force", "--expect", pins};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  EXPECT_EQ(
      expect("k=8,radius=none,method=shifted-sort,dimensions=3,periodic=no,points=500,queries=500,include-self=no")
          .exit_code,
      0);
  EXPECT_EQ(expect("radius=.5", {"--radius", "0.50"}).exit_code, 0);
  EXPECT_EQ(expect("judged=0.2", {"--verify", "100"}).exit_code, 0);
  EXPECT_EQ(expect("k=8", {"--expect", "method=shifted-sort"}).exit_code, 0);
  for (const auto& [pins, more, message] : std::vector<std::tuple<std::string, std::vector<std::string>, std::string>>{
           {"k=8", {"-k", "1"}, "k=8: this run has k 1"},
           {"k=8,radius=none", {"--radius", "1e-6"}, "radius=none: this run has radius 1e-06"},
           {"radius=0.5", {}, "radius=0.5: this run has radius none"},
           {"method=shifted-sort", {"--exact"}, "method=shifted-sort: this run has method exact"},
           {"dimensions=3", {"--columns", "1,2"}, "dimensions=3: this run has dimensions 2"},
           {"periodic=no", {"--periodic", "2,2,2"}, "periodic=no: this run has periodic yes"},
           {"points=501", {}, "points=501: this run has points 500"},
           {"queries=499", {}, "queries=499: this run has queries 500"},
           {"judged=0.5", {"--verify", "100"}, "judged=0.5: this run has judged 0.2"}}) {
    const Outcome o = expect(pins, more);
    EXPECT_EQ(o.exit_code, 1) << pins;
    EXPECT_TRUE(has(o, "kann: error: --expect " + message + "; the result is in nn.npz all the same\n")) << o.err;
  }
  for (const char* wrong : {"k", "k=", "k=x", "method=fast", "judged=2", "kk=8", "", "radius=-1"})
    EXPECT_EQ(expect(wrong).exit_code, 2) << wrong;
  EXPECT_EQ(expect("judged=1").exit_code, 2);  // nothing is judged
  write_file("kann.toml", "k = 1\nexpect = [\"k=1\"]\n");
  EXPECT_EQ(expect("k=8", {"--config", "kann.toml"}).exit_code, 1);
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
