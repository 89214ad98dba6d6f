// Which files --compare takes, and what it says of those that are not what they should be.
#include <cstdio>
#include <string>
#include <vector>

#include "compare_fixture.hpp"

namespace kann::test {
namespace {

using Words = std::vector<std::string>;

using ReferenceTest = CompareTest;

/// Before the search: no result is written.
TEST_F(ReferenceTest, AFileThatDoesNotBelongToTheCloudsIsRefused) {
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

/// The file is looked at first: 1 MB is too little for the search, which ends with exit code 4 otherwise.
TEST_F(ReferenceTest, ABadFileIsBadInputWhateverTheMemory) {
  prepare("ibin");
  write_file("truth.ibin", read_file("truth.ibin").substr(0, 100));
  for (const std::string memory : {"4G", "1M"})
    EXPECT_EQ(compare({"--max-memory", memory}, "truth.ibin").exit_code, 3) << memory;
  EXPECT_EQ(compare({"--max-memory", "1M"}, "q.xyz").exit_code, 2) << "no format of neighbours";
}

/// A result of ours says what it is of. Before the search, that of another one is refused.
TEST_F(ReferenceTest, AResultOfAnotherSearchIsRefused) {
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
            "the result of a search with other data (of 501 points; these are 500)\n");
  EXPECT_EQ(compared({"--data", "pts.xyz", "--query", "more.xyz"}, pair),
            "the result of a search with other queries (of 501 points; these are 500)\n");
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

/// As a batch, a single search may have a pattern, such as where a script's list of files has one.
TEST_F(ReferenceTest, MayBeNamedByAPattern) {
  prepare("npz", "8");
  write_file("truth_q.npz", read_file("truth.npz"));
  const Outcome o = compare({}, "truth_{stem}.npz");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(has(o, "kann: compare: 500 of 500 queries against truth_q.npz")) << o.err;
}

/// Only --compare on the command line takes the place of --verify: a file may name what is easy to meet.
TEST_F(ReferenceTest, OfAConfigurationDoesNotReplaceVerify) {
  prepare("npz", "8");
  write_file("kann.toml", "min-recall = 0.5\ncompare = \"truth.npz\"\n");
  const std::vector<std::string> search{"--data", "pts.xyz", "--query", "q.xyz",  "--device",
                                        "cpu",    "-o",      "nn.npz",  "--force"};
  auto words = search;
  words.insert(words.end(), {"--config", "kann.toml"});
  const Outcome file = run(words);
  EXPECT_EQ(file.exit_code, 0) << file.err;
  EXPECT_TRUE(has(file, "kann: verify: 500 of 500")) << file.err;
  EXPECT_FALSE(has(compare({"--min-recall", "0.5"}, "truth.npz"), "kann: verify:"));
}

/// A ground truth of other clouds, of the queries in another order, or of the farthest points is beaten somewhere.
TEST_F(ReferenceTest, AGroundTruthThatIsNotExactFails) {
  for (const char* format : {"bin", "ibin", "ivecs"}) {
    prepare(format, "8");
    const std::string truth = read_file(std::string("truth.") + format), name = std::string("truth.") + format;
    const std::string message = "kann: error: --compare " + name +
                                ": it should have the nearest neighbours, but this result "
                                "has nearer ones in ";
    EXPECT_EQ(compare({"--exact"}, name).exit_code, 0);
    EXPECT_EQ(compare({"--method", "shifted-sort"}, name).exit_code, 0);  // approximate rows are never nearer
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

TEST_F(ReferenceTest, RowsOfWhichTheFileHasNothingAreNotJudged) {
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
                  "1.0000, 1 all-correct, 1 identical; method exact\n"))
      << o.err;
  EXPECT_TRUE(
      has(o, "kann: warning: --compare truth.npy: it has no neighbour of 2 of 3 queries, which are not judged\n"))
      << o.err;
}

TEST_F(ReferenceTest, NeighborsThatTheFileLacksAreNotJudged) {
  prepare("npy", "2");
  std::string truth = read_file("truth.npy");
  for (std::size_t end = truth.size(); end > truth.size() - 4000; end -= 8)
    truth.replace(end - 4, 4, "\xff\xff\xff\xff");
  write_file("truth.npy", truth);
  const Outcome o = compare({"--exact", "-k", "2"}, "truth.npy");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(has(o, "kann: warning: --compare truth.npy: it has 500 of 1000 neighbours; the others are not judged\n"))
      << o.err;
}

/// An approximate result may be beaten, which is no fault, but recall against it is no recall.
TEST_F(ReferenceTest, ThatAFileIsNoGroundTruthIsSaid) {
  write_cloud("pts.xyz", 500, 1);
  write_cloud("q.xyz", 500, 2);
  for (const std::string name : {"truth.npz", "truth.npy"}) {
    EXPECT_EQ(run({"--data", "pts.xyz", "--query", "q.xyz", "--method", "shifted-sort", "--window", "9", "--shifts",
                   "1", "--device", "cpu", "-o", name})
                  .exit_code,
              0);
    const Outcome o = compare({"--exact"}, name);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(
        has(o, "kann: warning: --compare " + name + ": it is no ground truth: this result has nearer neighbours in "))
        << o.err;
    const Outcome judged = compare({"--exact", "--min-recall", "0.5"}, name);
    EXPECT_EQ(judged.exit_code, 1);
    EXPECT_TRUE(has(judged, " rows; --min-recall needs one; the result is in ")) << judged.err;
  }
}

TEST_F(ReferenceTest, AnIdTwiceOrFewerNeighborsAreRefused) {
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

}  // namespace
}  // namespace kann::test
