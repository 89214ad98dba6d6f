// --cluster, as a user runs it.
#include "kann/io.hpp"

#include "run_kann.hpp"

namespace kann::test {
namespace {

/// Two groups on a line, a point at the edge of the second, and one far from all.
class ClustersProgramTest : public ProgramTest {
 protected:
  ClustersProgramTest() : ProgramTest("--data p.csv") {
    write_file("p.csv", "x,y,kind\n90,0,1\n5,0,2\n6,0,3\n7,0,4\n0,0,5\n1,0,6\n2,0,7\n8.5,0,8\n");
  }

  std::string labels(const std::string& more) const { return written(more + " -o - --output-format csv -q"); }
  void usage(const std::string& more, const std::string& message) const { expect_refused(more, 2, message); }
};

TEST_F(ClustersProgramTest, LabelPoints) {
  EXPECT_EQ(labels("--cluster 1,3"), "query,cluster\n0,-1\n1,0\n2,0\n3,0\n4,1\n5,1\n6,1\n7,-1\n");
  EXPECT_EQ(labels("--cluster 1.5,3"), "query,cluster\n0,-1\n1,0\n2,0\n3,0\n4,1\n5,1\n6,1\n7,0\n");
  EXPECT_EQ(labels("--cluster 1"), "query,cluster\n0,0\n1,1\n2,1\n3,1\n4,2\n5,2\n6,2\n7,3\n");
  EXPECT_EQ(labels("--cluster 3"), "query,cluster\n0,0\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n");
}

TEST_F(ClustersProgramTest, SayHowManyThereAre) {
  const Outcome o = kann("--cluster 1.5,3 --report r.json");
  EXPECT_EQ(o.out, "p.clusters.npz\n");
  EXPECT_TRUE(begins(o.err,
                     "kann: 2 clusters within 1.5 (MIN 3), the largest of 4 points, and 1 noise point among 8 "
                     "points, 2-D (x, y), on CPU ("));
  const json report = json_of("r.json");
  EXPECT_EQ(report["clusters"], json({{"radius", 1.5}, {"min_points", 3}, {"count", 2}, {"largest", 4}, {"noise", 1}}));
  EXPECT_TRUE(report["k"].is_null());
  EXPECT_EQ(report["method"], "exact");
}

TEST_F(ClustersProgramTest, AreAnAttributeOfTheCloud) {
  EXPECT_EQ(written("--cluster 1.5,3 -o o.csv --output-format cloud-csv", "o.csv"),
            "x,y,kind,cluster\n90,0,1,-1\n5,0,2,0\n6,0,3,0\n7,0,4,0\n0,0,5,1\n1,0,6,1\n2,0,7,1\n8.5,0,8,0\n");
  EXPECT_TRUE(has(written("--cluster 1.5,3 -o o.ply", "o.ply"), "property int scalar_cluster\nend_header\n"));
}

TEST_F(ClustersProgramTest, SkipInvalidPoints) {
  write_file("p.csv", "x,y\n0,0\n1,\n1,0\n");
  const Outcome o = kann("--cluster 1,2 --invalid skip -o o.tsv");
  EXPECT_EQ(read_file("o.tsv"), "query\tcluster\n0\t0\n1\t-1\n2\t0\n");
  EXPECT_TRUE(has(o.err, "and 1 noise point among 3 points (1 point skipped as invalid), 2-D (x, y), on CPU"));
  EXPECT_EQ(kann("--cluster 1,2").exit_code, 3);
}

TEST_F(ClustersProgramTest, GoOverFacesAndTheSky) {
  write_file("p.csv", "x,y\n359,0\n1,0\n180,80\n0,80\n");
  EXPECT_EQ(labels("--cluster 2 --periodic 360,0"), "query,cluster\n0,0\n1,0\n2,1\n3,2\n");
  EXPECT_EQ(labels("--cluster 21 --sky"), "query,cluster\n0,0\n1,0\n2,1\n3,1\n");
  EXPECT_TRUE(begins(kann("--cluster 21 --sky -o o.npz").err,
                     "kann: 2 clusters within 21 deg (MIN 1), the largest of 2 points, and 0 noise points among "));
}

TEST_F(ClustersProgramTest, AreDrawn) {
  EXPECT_EQ(json::parse(succeeds("--cluster 1.5,3 --picture o.png --json").out)["picture"]["drawn"], 8);
  EXPECT_EQ(files(), (Names{"o.png", "p.csv"}));
  succeeds("--cluster 1.5,3 --picture k.png --picture-by kind");
  EXPECT_NE(read_file("o.png"), read_file("k.png"));
}

TEST_F(ClustersProgramTest, TakeAnEmptyCloud) {
  write_file("p.csv", "x,y\n");
  EXPECT_EQ(labels("--cluster 1,3"), "query,cluster\n");
  succeeds("--cluster 1,3 -o o.npz");
}

TEST_F(ClustersProgramTest, WarnWhereAllIsNoise) {
  EXPECT_TRUE(begins(succeeds("--cluster 1,30").err,
                     "kann: warning: all points are noise: none has 30 points within 1, itself among them; take "
                     "a larger radius or fewer points\n"));
}

TEST_F(ClustersProgramTest, RefuseWhatMakesNone) {
  for (const std::string radius : {"0", "-1", "nan", "inf", "abc", ""})
    usage("--cluster '" + radius + "'", "--cluster expects a positive number, got '" + radius + "'");
  for (const std::string least : {"0", "-2", "1.5", ""})
    usage("--cluster 1," + least, "--cluster R,MIN expects a whole number of at least 1, got '" + least + "'");
  usage("--cluster 1,2,3",
        "--cluster expects R[,MIN]: a positive number, and a whole number of at least 1, got '1,2,3'");
  usage("--cluster 5 --periodic 10,10",
        "--cluster 5: --periodic must repeat after more than twice that, got 10");
}

TEST_F(ClustersProgramTest, RefuseWhatIsAboutNeighbors) {
  usage("--cluster 1 --query p.csv",
        "--cluster does not go with --query: clusters are those of the data alone (R,MIN is one word: 0.5,10)");
  usage("--cluster 1 --grid 1",
        "--cluster does not go with --grid: clusters are those of the data alone (R,MIN is one word: 0.5,10)");
  for (const auto& [arguments, flag] : {std::pair<std::string, std::string>{"-k 3", "--k"},
                                        {"-k all --radius 1", "--k"},
                                        {"--radius 1", "--radius"},
                                        {"--include-self", "--include-self"},
                                        {"--group kind", "--group"},
                                        {"--join inner", "--join"},
                                        {"--match one-to-one", "--match"},
                                        {"--outliers 2,1", "--outliers"},
                                        {"--transfer kind", "--transfer"},
                                        {"--features normals", "--features"},
                                        {"--stats", "--stats"},
                                        {"--verify", "--verify and --min-recall"},
                                        {"--output-per-rank", "--output-per-rank"}})
    usage("--cluster 1 " + arguments,
          "--cluster does not go with " + flag + ": it labels points, and gives no neighbours");
  usage("--cluster 1 --picture p.png --picture-by density",
        "--picture-by density is about neighbours, and --cluster gives none; leave it out");
  usage("--cluster 1 -o o.ivecs",
        "o.ivecs: has no place for --cluster; write .npz, .csv, .tsv, .ply, .las or --output-format cloud-csv");
}

}  // namespace
}  // namespace kann::test
