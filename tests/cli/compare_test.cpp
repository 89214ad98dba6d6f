// --compare, as a user runs it: which files it takes, what it says of those that are not what they should be, and how
// it judges a result.
#include <cstdio>

#include "run_kann.hpp"

namespace kann::test {
namespace {

class CompareTest : public ProgramTest {
 protected:
  CompareTest() : ProgramTest("--data pts.xyz --query q.xyz --device cpu --output nn.npz --force") {}

  /// 500 queries among as many other points, and their exact answer in truth.FORMAT.
  void prepare(const std::string& format = "ivecs", const std::string& k = "20") {
    write_cloud("pts.xyz", 500, 1);
    write_cloud("q.xyz", 500, 2);
    succeeds("-k " + k + " -o truth." + format);
  }
};

const std::string k_poor = "--method shifted-sort --window 2 --shifts 1 --compare ";  // FILE

TEST_F(CompareTest, SaysHowGoodTheResultIs) {
  for (const char* format : {"npz", "npy", "bin", "ibin", "ivecs"}) {
    const int k = format == std::string("npz") ? 8 : 20;  // which says of which search it is
    prepare(format, std::to_string(k));
    const std::string truth = std::string("truth.") + format;
    const Outcome o = succeeds("--exact --report r.json --compare " + truth);
    EXPECT_EQ(o.out, "nn.npz\n");
    EXPECT_TRUE(
        has(o.err, "kann: compare: 500 of 500 queries against " + truth + " (k 8 of " + std::to_string(k) +
                       "): recall 1.0000, mean distance ratio 1.0000, 500 all-correct, 500 identical; method exact\n"));
    EXPECT_FALSE(has(o.err, "verify"));
    const json report = json_of("r.json");
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
  succeeds(k_poor + "truth.ivecs --verify --report r.json");
  const json report = json_of("r.json");
  EXPECT_LT(report["compare"]["recall"], 0.9);
  for (const char* key : {"queries", "recall", "distance_ratio", "all_correct", "identical_rows", "faulty_rows"})
    EXPECT_EQ(report["compare"][key], report["verify"][key]) << key;
}

TEST_F(CompareTest, AMinimumJudgesIt) {
  prepare();
  const std::string options = k_poor + "truth.ivecs --min-recall 0.99";
  const std::string poor = error_of(options, 1);
  EXPECT_TRUE(has(poor, " against truth.ivecs is below --min-recall 0.99; the result is in nn.npz all the same\n"));
  EXPECT_FALSE(has(poor, "verify"));
  succeeds("--min-recall 0.9 --compare truth.ivecs");
  const std::string both = error_of(options + " --verify --report r.json", 1);
  EXPECT_TRUE(has(both, "kann: verify: "));
  EXPECT_TRUE(has(both, "kann: compare: "));
  const json report = json_of("r.json");
  EXPECT_TRUE(report.contains("verify") && report.contains("compare"));
  EXPECT_EQ(report["error"]["exit_code"], 1);
}

/// With both, the minimum is for both: the result's own neighbours as the truth do not make it good.
TEST_F(CompareTest, BothChecksMustPass) {
  prepare();
  succeeds(k_poor + "truth.ivecs");
  EXPECT_EQ(std::rename(path("nn.npz").c_str(), path("own.npz").c_str()), 0);
  const std::string judged = k_poor + "own.npz --min-recall 0.99";
  succeeds(judged);
  EXPECT_TRUE(has(error_of(judged + " --verify", 1), "own.npz (k 8 of 8): recall 1.0000"));
}

TEST_F(CompareTest, NothingToComparePassesNoCheck) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 1, 2);
  write_file("truth.ivecs", std::string("\x8\0\0\0", 4) + std::string(32, '\xff'));
  EXPECT_TRUE(has(error_of("--compare truth.ivecs", 1),
                  "--compare truth.ivecs: nothing could be compared: it has no neighbour of any query; the result is "
                  "in nn.npz all the same\n"));
  write_file("q.xyz", "x y z\n");
  write_file("truth.ivecs", "");
  EXPECT_EQ(kann("--compare truth.ivecs").exit_code, 1);
}

TEST_F(CompareTest, TheFileIsAnInputThatIsNeverReplaced) {
  prepare("npz");
  const std::string truth = read_file("truth.npz");
  expect_refused("-o truth.npz --compare ./truth.npz", 2,
                 "truth.npz: is the input ./truth.npz; choose another --output");
  EXPECT_EQ(read_file("truth.npz"), truth);
}

TEST_F(CompareTest, ASelfQueryIsComparedWithoutThePointsThemselves) {
  write_cloud("q.xyz", 300, 1);
  EXPECT_EQ(run("--data q.xyz -k 9 --include-self -o truth.bin --device cpu").exit_code, 0);
  const Outcome o = run("--data q.xyz -k 8 --exact --compare truth.bin --min-recall 1 --device cpu");
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_TRUE(has(o.err, "300 identical"));
}

using ReferenceTest = CompareTest;

/// Before the search: no result is written.
TEST_F(ReferenceTest, AFileThatDoesNotBelongToTheCloudsIsRefused) {
  prepare("ibin");
  const std::string truth = read_file("truth.ibin");
  const auto refused = [&](const std::string& bytes, const std::string& message) {
    write_file("truth.ibin", bytes);
    expect_refused("--compare truth.ibin", 3, "truth.ibin: " + message);
  };
  std::string other = truth;
  other.replace(8, 4, std::string("\xf4\x01\0\0", 4));
  refused(other, "row 0 has id 500 (data has 500 points)");
  refused(std::string("\1\0\0\0\2\0\0\0", 8) + std::string(8, '\0'), "not a row per query (got 1, need 500)");
  refused(truth.substr(0, 100), "500 queries with 20 neighbours need 40008 bytes, file holds 100");
  expect_refused("--compare nope.bin", 3, "nope.bin: No such file or directory");
}

/// The file is looked at first: 1 MB is too little for the search, which ends with exit code 4 otherwise.
TEST_F(ReferenceTest, ABadFileIsBadInputWhateverTheMemory) {
  prepare("ibin");
  write_file("truth.ibin", read_file("truth.ibin").substr(0, 100));
  for (const std::string memory : {"4G", "1M"})
    EXPECT_EQ(kann("--compare truth.ibin --max-memory " + memory).exit_code, 3) << memory;
  EXPECT_EQ(kann("--max-memory 1M --compare q.xyz").exit_code, 2) << "no format of neighbours";
}

/// A result of ours says what it is of. Before the search, that of another one is refused.
TEST_F(ReferenceTest, AResultOfAnotherSearchIsRefused) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 500, 2);
  write_cloud("more.xyz", 501, 1);
  const auto compared = [&](const std::string& truth, const std::string& now) {
    EXPECT_EQ(run("-o truth.npz --device cpu --force " + truth).exit_code, 0);
    const Outcome o = run("-o nn.npz --device cpu --force --compare truth.npz --min-recall 1 " + now);
    EXPECT_EQ(std::remove(path("nn.npz").c_str()) == 0, o.exit_code == 0);  // refused before the search
    if (o.exit_code == 0) return std::string();
    EXPECT_EQ(o.exit_code, 3);
    EXPECT_TRUE(begins(o.err, "kann: error: truth.npz: "));
    return o.err.substr(24);
  };
  const std::string pair = "--data pts.xyz --query q.xyz", self = "--data pts.xyz";
  EXPECT_EQ(compared(pair, pair), "");
  EXPECT_EQ(compared(pair + " -k 9", pair), "a result with another --k (got 9, need 8)\n");
  EXPECT_EQ(compared(pair + " -k 7", pair), "a result with another --k (got 7, need 8)\n");
  EXPECT_EQ(compared(pair + " -k 500", pair + " -k 501"), "");  // all points
  EXPECT_EQ(compared("--data more.xyz --query q.xyz", pair),
            "the result of a search with other data (of 501 points; these are 500)\n");
  EXPECT_EQ(compared("--data pts.xyz --query more.xyz", pair),
            "the result of a search with other queries (of 501 points; these are 500)\n");
  EXPECT_EQ(compared(pair + " --radius 0.5", pair), "a result with another --radius (got 0.5, need none)\n");
  EXPECT_EQ(compared(pair + " --radius 0.1", pair + " --radius 0.5"),
            "a result with another --radius (got 0.1, need 0.5)\n");
  EXPECT_EQ(compared(pair + " --radius 0.5", pair + " --radius 0.5"), "");
  EXPECT_EQ(compared(pair + " --radius 0.5", pair + " --radius 0.1"),
            "a result with another --radius (got 0.5, need 0.1)\n");
  EXPECT_EQ(compared(pair, pair + " --radius 0.1"), "a result with another --radius (got none, need 0.1)\n");
  write_cloud("other.xyz", 500, 3);
  EXPECT_EQ(compared("--data other.xyz --query q.xyz", pair),
            "the result of a search with other data: as many points, with other coordinates or in another order\n");
  EXPECT_EQ(compared("--data pts.xyz --query other.xyz", pair),
            "the result of a search with other queries: as many points, with other coordinates or in another order\n");
  EXPECT_EQ(compared(pair + " --periodic 2,2,2", pair + " --periodic 2,2,2"), "");
  EXPECT_EQ(compared(pair, pair + " --periodic 2,0,2"), "a result in another periodic box (got none, need 2,0,2)\n");
  EXPECT_EQ(compared(pair + " --periodic 2,2,2", pair), "a result in another periodic box (got 2,2,2, need none)\n");
  EXPECT_EQ(compared(pair + " --columns 1,2", pair), "the result of a search in 2-D (need 3-D)\n");
  EXPECT_EQ(compared(self + " -k 499", self + " -k 500"), "");  // all other points
  EXPECT_EQ(compared(self, self), "");
  EXPECT_EQ(compared(self, self + " --include-self"),
            "a result without the points themselves, which --include-self keeps\n");
  write_file("copy.xyz", read_file("pts.xyz"));
  EXPECT_EQ(compared(self, "--data pts.xyz --query copy.xyz"),
            "a result without the points themselves, which are neighbours with --query\n");
  EXPECT_EQ(compared(self + " --include-self", self),
            "a result with the points themselves, by --include-self (got k = 8, need 9 for --k 8)\n");
  EXPECT_EQ(compared(self + " --include-self -k 9", self), "");
}

/// As a batch, a single search may have a pattern, such as where a script's list of files has one.
TEST_F(ReferenceTest, MayBeNamedByAPattern) {
  prepare("npz", "8");
  write_file("truth_q.npz", read_file("truth.npz"));
  EXPECT_TRUE(has(succeeds("--compare truth_{stem}.npz").err, "kann: compare: 500 of 500 queries against truth_q.npz"));
}

/// Only --compare on the command line takes the place of --verify: a file may name what is easy to meet.
TEST_F(ReferenceTest, OfAConfigurationDoesNotReplaceVerify) {
  prepare("npz", "8");
  write_file("kann.toml", "min-recall = 0.5\ncompare = \"truth.npz\"\n");
  const std::string search = "--data pts.xyz --query q.xyz --device cpu -o nn.npz --force";
  auto words = search;
  words += " --config kann.toml";
  const Outcome file = run(words);
  EXPECT_EQ(file.exit_code, 0);
  EXPECT_TRUE(has(file.err, "kann: verify: 500 of 500"));
  EXPECT_FALSE(has(kann("--min-recall 0.5 --compare truth.npz").err, "kann: verify:"));
}

/// A ground truth of other clouds, of the queries in another order, or of the farthest points is beaten somewhere.
TEST_F(ReferenceTest, AGroundTruthThatIsNotExactFails) {
  for (const char* format : {"bin", "ibin", "ivecs"}) {
    prepare(format, "8");
    const std::string truth = read_file(std::string("truth.") + format), name = std::string("truth.") + format;
    const std::string message = "kann: error: --compare " + name +
                                ": it should have the nearest neighbours, but this result "
                                "has nearer ones in ";
    succeeds("--exact --compare " + name);
    succeeds("--method shifted-sort --compare " + name);  // approximate rows are never nearer
    const std::size_t row = format == std::string("ivecs") ? 36 : 32, begin = format == std::string("ivecs") ? 0 : 8;
    std::string reversed = truth;
    for (std::size_t i = 0; i < 500; ++i)
      reversed.replace(begin + i * row, row, truth.substr(begin + (499 - i) * row, row));
    write_file(name, reversed);
    const std::string error = error_of("--exact --compare " + name, 1);
    EXPECT_TRUE(has(error, message));
    EXPECT_TRUE(
        has(error, " of 500 rows (first: row 0); it may be of other clouds, or in another order; the result is in "));
    write_cloud("pts.xyz", 500, 4);
    write_file(name, truth);
    EXPECT_EQ(kann("--exact --compare " + name).exit_code, 1);
  }
}

TEST_F(ReferenceTest, RowsOfWhichTheFileHasNothingAreNotJudged) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 3, 2);
  succeeds("-o truth.npy -k 2");
  std::string truth = read_file("truth.npy");
  truth.replace(truth.size() - 16, 16, std::string(16, '\xff'));  // the last two rows of int32 ids
  write_file("truth.npy", truth);
  const Outcome o = succeeds("--exact -k 2 --min-recall 1 --compare truth.npy");
  EXPECT_TRUE(has(o.err,
                  "kann: compare: 1 of 3 queries against truth.npy (k 2 of 2): recall 1.0000, mean distance ratio "
                  "1.0000, 1 all-correct, 1 identical; method exact\n"));
  EXPECT_TRUE(
      has(o.err, "kann: warning: --compare truth.npy: it has no neighbour of 2 of 3 queries, which are not judged\n"));
}

TEST_F(ReferenceTest, NeighborsThatTheFileLacksAreNotJudged) {
  prepare("npy", "2");
  std::string truth = read_file("truth.npy");
  for (std::size_t end = truth.size(); end > truth.size() - 4000; end -= 8)
    truth.replace(end - 4, 4, "\xff\xff\xff\xff");
  write_file("truth.npy", truth);
  EXPECT_TRUE(has(succeeds("--exact -k 2 --compare truth.npy").err,
                  "kann: warning: --compare truth.npy: it has 500 of 1000 neighbours; the others are not judged\n"));
}

/// An approximate result may be beaten, which is no fault, but recall against it is no recall.
TEST_F(ReferenceTest, ThatAFileIsNoGroundTruthIsSaid) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 500, 2);
  for (const std::string name : {"truth.npz", "truth.npy"}) {
    succeeds("--method shifted-sort --window 9 --shifts 1 -o " + name);
    const Outcome o = succeeds("--exact --compare " + name);
    EXPECT_TRUE(has(
        o.err, "kann: warning: --compare " + name + ": it is no ground truth: this result has nearer neighbours in "));
    const std::string judged = error_of("--exact --min-recall 0.5 --compare " + name, 1);
    EXPECT_TRUE(has(judged, " rows; --min-recall needs one; the result is in "));
  }
}

TEST_F(ReferenceTest, AnIdTwiceOrFewerNeighborsAreRefused) {
  prepare("ibin", "8");
  std::string truth = read_file("truth.ibin");
  truth.replace(8 + 4, 4, truth.substr(8, 4));
  write_file("truth.ibin", truth);
  const std::string error = error_of("--compare truth.ibin", 3);
  EXPECT_TRUE(has(error, "kann: error: truth.ibin: row 0 has id "));
  EXPECT_TRUE(has(error, " twice\n"));
  prepare("ibin", "2");
  const std::string fewer = error_of("--compare truth.ibin", 3);
  EXPECT_TRUE(has(fewer, "truth.ibin: has 2 neighbours per query (need 8; --k 2 searches for as many)\n"));
}

}  // namespace
}  // namespace kann::test
