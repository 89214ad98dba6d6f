// --stats, as a user runs it.
#include <nlohmann/json.hpp>
#include <string>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

class StatsTest : public ProgramTest {
 protected:
  StatsTest() {
    write_file("pts.csv", "x,y\n0,0\n1,0\n3,0\n0,2\n");
    write_file("q.csv", "x,y\n0,0\n9,0\n");
  }

  Outcome kann(std::vector<std::string> more, const Settings& settings = {}) const {
    more.insert(more.begin(), {"--data", "pts.csv", "--device", "cpu", "-k", "2"});
    return run(more, settings);
  }

  static constexpr const char* k_table =
      "distances per rank: exact\n"
      "rank  queries  mean  deviation      rms  median  p95  p99  max\n"
      "   1        2     3    4.24264  4.24264       0    6    6    6\n"
      "   2        2   4.5    4.94975  5.70088       1    8    8    8\n"
      "points per unit of area: median 0.63662, 5 % below 0.00994718, 5 % above 0.63662\n";
};

/// Alone it writes no file: the table is the result.
TEST_F(StatsTest, AloneTheTableIsTheResult) {
  const Outcome o = kann({"--query", "q.csv", "--stats"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, k_table);
  EXPECT_TRUE(o.err.starts_with("kann: 2 queries x 2 neighbours among 4 points, 2-D (x, y), on CPU")) << o.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"pts.csv", "q.csv"}));
  EXPECT_EQ(kann({"--query", "q.csv", "--stats", "-q"}).out, k_table);
}

/// Standard output has the table, so the pictures are named elsewhere.
TEST_F(StatsTest, PicturesBesideTheTableAreNamed) {
  const Outcome o = kann({"--query", "q.csv", "--stats", "--picture", "p.png"});
  EXPECT_EQ(o.out, k_table);
  EXPECT_NE(o.err.find("kann: picture: p.png\n"), std::string::npos) << o.err;
}

TEST_F(StatsTest, BesideAResultTheTableIsAMessage) {
  const Outcome o = kann({"--query", "q.csv", "--stats", "-o", "nn.csv"});
  EXPECT_EQ(o.out, "nn.csv\n");
  for (const std::string line :
       {"distances per rank: exact\n", "rank  queries", "   1        2     3", "points per unit of area: median"})
    EXPECT_NE(o.err.find("kann: " + line), std::string::npos) << o.err;
  const Outcome verbose = kann({"--query", "q.csv", "-o", "nn.csv", "--force", "-v"});
  EXPECT_NE(verbose.err.find("kann: rank  queries"), std::string::npos) << verbose.err;
  const Outcome plain = kann({"--query", "q.csv", "-o", "nn.csv", "--force"});
  EXPECT_EQ(plain.err.find("rank"), std::string::npos) << plain.err;
  const Outcome by_format = kann({"--query", "q.csv", "--stats", "--output-format", "csv", "--force"});
  EXPECT_EQ(by_format.out, "q.knn.csv\n");
}

TEST_F(StatsTest, EveryReportHasThem) {
  const Outcome o = kann({"--query", "q.csv", "--stats", "--json"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const json report = json::parse(o.out);
  EXPECT_EQ(report["output"], nullptr);
  EXPECT_EQ(report["statistics"]["empty_rows"], 0);
  EXPECT_EQ(report["statistics"]["ranks"][1],
            json::parse(R"({"rank":2,"queries":2,"mean":4.5,"median":1.0,"p95":8.0,"p99":8.0,"max":8.0,
                            "deviation":4.949747468305833,"rms":5.70087712549569})"));
  kann({"--query", "q.csv", "-o", "nn.csv", "--report", "r.json", "-q"});
  EXPECT_EQ(json::parse(read_file("r.json"))["statistics"], report["statistics"]);
}

TEST_F(StatsTest, SayWhichQueriesHaveNoNeighbor) {
  const Outcome o = kann({"--query", "q.csv", "--stats", "--radius", "1"});
  EXPECT_EQ(o.out,
            "distances per rank: exact\n"
            "rank  queries  mean  deviation  rms  median  p95  p99  max\n"
            "   1        1     0          0    0       0    0    0    0\n"
            "   2        1     1          0    1       1    1    1    1\n"
            "points per unit of area: median 0.63662, 5 % below 0.63662, 5 % above 0.63662\n"
            "1 query without a neighbour\n");
  const Outcome none = kann({"--query", "q.csv", "--stats", "--radius", "0", "--data", "q.csv"});
  EXPECT_NE(none.out.find("   2        0     -          -"), std::string::npos) << none.out;
  EXPECT_EQ(none.out.find("points per unit"), std::string::npos) << none.out;
  EXPECT_NE(none.out.find("\n2 queries with no neighbour but at their own place\n"), std::string::npos) << none.out;
}

/// In a batch, each table is below the name of its queries.
TEST_F(StatsTest, ABatchNamesTheQueries) {
  const Outcome o = kann({"--query", "q.csv", "nope.csv", "q.csv", "--stats"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.out, std::string("q.csv\n") + k_table + "q.csv\n" + k_table);
  EXPECT_NE(o.err.find("kann: batch: 2 done, 0 skipped, 1 failed"), std::string::npos) << o.err;
}

TEST_F(StatsTest, ChecksGoOn) {
  const Outcome o = kann({"--query", "q.csv", "--stats", "--verify"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_NE(o.err.find("2 identical"), std::string::npos) << o.err;
  const Outcome skip = kann({"--query", "q.csv", "--stats", "--skip-existing"});
  EXPECT_EQ(skip.exit_code, 2);
  EXPECT_EQ(skip.err, "kann: error: --skip-existing needs --output with --stats or --picture: no result is written\n");
  const Outcome closed = kann({"--query", "q.csv", "--stats"}, {.stdout_path = ""});
  EXPECT_EQ(closed.exit_code, 4) << closed.err;
  EXPECT_EQ(kann({"--query", "q.csv", "--picture", "p.png"}, {.stdout_path = ""}).exit_code, 0);
  const Outcome full = kann({"--query", "q.csv", "--stats"}, {.stdout_path = "/dev/full"});
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_EQ(full.err.substr(full.err.find("kann: error")), "kann: error: stdout: No space left on device\n");
}

}  // namespace
}  // namespace kann::test
