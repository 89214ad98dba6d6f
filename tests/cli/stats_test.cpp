// --stats, as a user runs it.
#include "run_kann.hpp"

namespace kann::test {
namespace {

class StatsTest : public ProgramTest {
 protected:
  StatsTest() : ProgramTest("--data pts.csv --device cpu -k 2 --query q.csv") {
    write_file("pts.csv", "x,y\n0,0\n1,0\n3,0\n0,2\n");
    write_file("q.csv", "x,y\n0,0\n9,0\n");
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
  const Outcome o = succeeds("--stats");
  EXPECT_EQ(o.out, k_table);
  EXPECT_TRUE(begins(o.err, "kann: 2 queries x 2 neighbours among 4 points, 2-D (x, y), on CPU"));
  EXPECT_EQ(files(), (Names{"pts.csv", "q.csv"}));
  EXPECT_EQ(kann("--stats -q").out, k_table);
}

/// Standard output has the table, so the pictures are named elsewhere.
TEST_F(StatsTest, PicturesBesideTheTableAreNamed) {
  const Outcome o = kann("--stats --picture p.png");
  EXPECT_EQ(o.out, k_table);
  EXPECT_TRUE(has(o.err, "kann: picture: p.png\n"));
}

TEST_F(StatsTest, BesideAResultTheTableIsAMessage) {
  const Outcome o = kann("--stats -o nn.csv");
  EXPECT_EQ(o.out, "nn.csv\n");
  for (const std::string line :
       {"distances per rank: exact\n", "rank  queries", "   1        2     3", "points per unit of area: median"})
    EXPECT_TRUE(has(o.err, "kann: " + line));
  const Outcome verbose = kann("-o nn.csv --force -v");
  EXPECT_TRUE(has(verbose.err, "kann: rank  queries"));
  const Outcome plain = kann("-o nn.csv --force");
  EXPECT_FALSE(has(plain.err, "rank"));
  const Outcome by_format = kann("--stats --output-format csv --force");
  EXPECT_EQ(by_format.out, "q.knn.csv\n");
}

TEST_F(StatsTest, EveryReportHasThem) {
  const Outcome o = succeeds("--stats --json");
  const json report = json::parse(o.out);
  EXPECT_EQ(report["output"], nullptr);
  EXPECT_EQ(report["statistics"]["empty_rows"], 0);
  EXPECT_EQ(report["statistics"]["ranks"][1],
            json::parse(R"({"rank":2,"queries":2,"mean":4.5,"median":1.0,"p95":8.0,"p99":8.0,"max":8.0,
                            "deviation":4.949747468305833,"rms":5.70087712549569})"));
  kann("-o nn.csv --report r.json -q");
  EXPECT_EQ(json_of("r.json")["statistics"], report["statistics"]);
}

TEST_F(StatsTest, SayWhichQueriesHaveNoNeighbor) {
  const Outcome o = kann("--stats --radius 1");
  EXPECT_EQ(o.out,
            "distances per rank: exact\n"
            "rank  queries  mean  deviation  rms  median  p95  p99  max\n"
            "   1        1     0          0    0       0    0    0    0\n"
            "   2        1     1          0    1       1    1    1    1\n"
            "points per unit of area: median 0.63662, 5 % below 0.63662, 5 % above 0.63662\n"
            "1 query without a neighbour\n");
  const Outcome none = kann("--stats --radius 0 --data q.csv");
  EXPECT_TRUE(has(none.out, "   2        0     -          -"));
  EXPECT_FALSE(has(none.out, "points per unit"));
  EXPECT_TRUE(has(none.out, "\n2 queries with no neighbour but at their own place\n"));
}

/// In a batch, each table is below the name of its queries.
TEST_F(StatsTest, ABatchNamesTheQueries) {
  const Outcome o = kann("--query nope.csv q.csv --stats");
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.out, std::string("q.csv\n") + k_table + "q.csv\n" + k_table);
  EXPECT_TRUE(has(o.err, "kann: batch: 2 done, 0 skipped, 1 failed"));
}

TEST_F(StatsTest, ChecksGoOn) {
  const Outcome o = succeeds("--stats --verify");
  EXPECT_TRUE(has(o.err, "2 identical"));
  expect_refused("--stats --skip-existing", 2,
                 "--skip-existing needs --output with --stats or --picture: no result is written");
  error_of("--stats", 4, {.stdout_path = ""});
  succeeds("--picture p.png", {.stdout_path = ""});
  EXPECT_TRUE(
      ends(error_of("--stats", 4, {.stdout_path = "/dev/full"}), "kann: error: stdout: No space left on device\n"));
}

}  // namespace
}  // namespace kann::test
