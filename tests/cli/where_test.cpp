// --where and --query-where: the points that are searched, and those whose neighbours are found; --attributes: the
// columns that are written.
#include "run_kann.hpp"

namespace kann::test {
namespace {

class WhereTest : public ProgramTest {
 protected:
  WhereTest() : ProgramTest("p.csv --device cpu --force -k 1") {
    write_file("p.csv",
               "x,y,z,kind,code,size\n"
               "0,0,0,oak,007,1\n"
               "1,0,0,elm,7,2\n"
               "3,0,0,oak,008,3\n"
               "nan,0,0,ash,009,4\n"
               "7,0,0,elm,7,5\n");
  }

  std::string text(const std::string& more) const { return written(more + " -q -o -"); }
};

const std::string k_head = "query,rank,id,distance\n";

TEST_F(WhereTest, RowsKeepTheirNumbers) {
  EXPECT_EQ(text("--where 'size < 4' --output-format csv"),
            k_head + "0,0,1,1\n1,0,0,1\n2,0,1,2\n3,0,-1,inf\n4,0,-1,inf\n");
  EXPECT_EQ(text("p.csv --where 'kind = oak' --query-where 'kind = elm' --output-format csv"),
            k_head + "0,0,-1,inf\n1,0,0,1\n2,0,-1,inf\n3,0,-1,inf\n4,0,2,4\n");
  EXPECT_EQ(text("--where 'x >= 0' -k all --radius 3 --output-format csv"),
            k_head + "0,0,1,1\n0,1,2,3\n1,0,0,1\n1,1,2,2\n2,0,1,2\n2,1,0,3\n");
  EXPECT_EQ(text("--where 'size != 4 and kind in elm,ash' --output-format cloud-csv"),
            "x,y,z,kind,code,size,nn_id,nn_distance\n1,0,0,elm,7,2,4,6\n7,0,0,elm,7,5,1,6\n");
  EXPECT_EQ(text("p.csv --where 'size in 1,2' --query-where 'code = 008' --join left --output-format csv"),
            "query_x,query_y,query_z,query_kind,query_code,query_size,data_x,data_y,data_z,data_kind,data_code,"
            "data_size,nn_id,nn_distance\n3,0,0,oak,008,3,1,0,0,elm,7,2,1,2\n");
}

TEST_F(WhereTest, TheReportCountsWhatIsChosen) {
  const Outcome o = succeeds("p.csv --where 'size < 4' --query-where 'size > 1' --invalid skip --verify -o o.npz");
  EXPECT_TRUE(has(o.err, "kann: 4 queries x 1 neighbour among 3 points (0 points and 1 query skipped as invalid)"));
  EXPECT_TRUE(has(o.err, "kann: verify: 3 of 3 queries"));
  EXPECT_FALSE(has(o.err, "is the data")) << "two conditions choose other points";
  EXPECT_EQ(run("check o.npz").out, "o.npz: passed\n");
  EXPECT_TRUE(has(run("check o.npz --json").out, R"("where":{"condition":"size < 4","points":3})"));
  write_file("jobs", "p.csv\t\tj.npz\n");
  EXPECT_EQ(run("--jobs jobs --query-where 'size > 1'").exit_code, 2) << "a job without queries";
  expect_refused(
      "p.csv --where 'size < 3' --query-where 'size > 1' --invalid skip --compare o.npz -o - --output-format csv", 3,
      "o.npz: a result for other data (the condition was size < 4, need size < 3)");
}

TEST_F(WhereTest, InvalidPointsThatAreLeftOutAreNoError) {
  expect_refused("--where 'size > 2' -o o.npz", 3,
                 "p.csv: 1 of 5 points have NaN or infinite coordinates (first: 3); use --invalid skip");
  succeeds("--where 'x < 1e9' -o o.npz");
}

/// 007 is a name, whatever is written.
TEST_F(WhereTest, AConditionMeansTheSameWithEveryFormat) {
  for (const std::string file : {"o.npz", "o.csv", "o.ply", "o.las", "o.tsv"}) {
    const Outcome o = kann("--where 'code = 7' -o " + file);
    EXPECT_TRUE(has(o.err, "kann: 2 queries x 1 neighbour among 2 points")) << file << o.err;
    expect_refused("--where 'code > 7' -o " + file, 3, "p.csv: --where: 'code' is text, which =, != and in compare");
  }
  EXPECT_TRUE(has(kann("--where 'code = 7' -o o.ply").err,
                  "kann: warning: o.ply: left out of the attributes: 'kind' is text, which cloud-csv holds, "
                  "'code' is text, which cloud-csv holds\n"));
  expect_refused("--where 'size < 4' --transfer kind -o o.npz", 3,
                 "p.csv: 'kind' is text, which goes into .csv, .tsv and --output-format cloud-csv alone");
}

TEST_F(WhereTest, CoordinatesWithoutNamesAreXAndYAndZ) {
  write_file("p.xyz", "0 0 0\n1 0 5\n3 0 5\n7 0 5\n");
  const Outcome o = run("p.xyz --device cpu -k 1 --where 'z = 5 and X > 1' -q -o - --output-format csv");
  EXPECT_EQ(o.out, "query,rank,id,distance\n0,0,-1,inf\n1,0,-1,inf\n2,0,3,4\n3,0,2,4\n") << o.err;
}

TEST_F(WhereTest, NoPointMeetsIt) {
  const Outcome o = succeeds("--where 'size > 9' -o o.csv --output-format cloud-csv");
  EXPECT_EQ(o.err.substr(0, o.err.find('\n')), "kann: warning: --where 'size > 9': no point of p.csv meets it");
  EXPECT_EQ(read_file("o.csv"), "x,y,z,kind,code,size,nn_id,nn_distance\n");
}

TEST_F(WhereTest, GroupsAreThoseThatWereAskedFor) {
  for (const std::string condition : {"size < 4", "size < 4 and x >= 0 and kind != ash"})
    EXPECT_EQ(text("--group kind --output-format csv --where '" + condition + "'"),
              k_head + "0,0,2,3\n1,0,-1,inf\n2,0,0,3\n3,0,-1,inf\n4,0,-1,inf\n");
}

/// What is left out is no outlier and no noise.
TEST_F(WhereTest, WhatIsLeftOutIsNotJudged) {
  write_file("p.csv", "x,y,c\n0,0,1\n1,0,1\n2,0,1\n9,0,1\n5,5,2\n6,6,2\n");
  const std::string flags = text("--where 'c = 1' --outliers 2,1 -k 2 --output-format npz");
  const std::string_view array = "outlier.npy";
  ASSERT_TRUE(has(flags, array));
  const std::size_t values = flags.find('\n', flags.find("NUMPY", flags.find(array)));
  EXPECT_EQ(flags.substr(values + 1, 6), std::string({0, 0, 0, 1, 0, 0}));
  const Outcome o = run("p.csv --device cpu --where 'c = 1' --cluster 1,2 -o c.npz");
  EXPECT_TRUE(has(o.err, "1 cluster within 1 (MIN 2), the largest of 3 points, and 1 noise point among 4 points"));
}

TEST_F(WhereTest, NamesComeBeforeNumbers) {
  write_file("p.csv", "x,y,1,neighbours\n0,0,7,1\n1,0,8,2\n2,0,9,3\n");
  EXPECT_EQ(text("--where '\"1\" > 7 and 4 != 9' --output-format csv"), k_head + "0,0,-1,inf\n1,0,2,1\n2,0,1,1\n");
  expect_refused("--keep 'neighbours > 1' -o o.ply", 3,
                 "p.csv: --keep: 'neighbours' may be that of the file, which --where takes, or what is found, which "
                 "--features neighbours writes, too");
}

TEST_F(WhereTest, AColumnWithoutAValueMeetsNothing) {
  for (const char* const rows : {"", "1,2,\n3,4,\n"}) {
    write_file("p.csv", std::string("x,y,kind\n") + rows);
    succeeds("--where 'kind = oak' -o o.npz");
  }
  write_file("p.csv", "x,y,kind\n0,0,\"the \"\"big\"\" one\"\n1,0,c\n");
  EXPECT_EQ(text("--where 'kind = \"the \"\"big\"\" one\"' --output-format cloud-csv"),
            "x,y,kind,nn_id,nn_distance\n0,0,\"the \"\"big\"\" one\",-1,inf\n");
}

/// --attributes chooses and renames the columns of a cloud.
TEST_F(WhereTest, ColumnsAreChosen) {
  const auto head = [&](const std::string& attributes) {
    const std::string cloud = text("--where 'x >= 0' --output-format cloud-csv --attributes " + attributes);
    return cloud.substr(0, cloud.find("\n", cloud.find('\n') + 1));
  };
  EXPECT_EQ(head("nn_distance=quality,kind"), "x,y,z,quality,kind\n0,0,0,1,oak");
  EXPECT_EQ(head("-kind,-nn_id,size=height"), "x,y,z,code,height,nn_distance\n0,0,0,007,1,1");
  EXPECT_EQ(head("x,y,z,size"), "x,y,z,size\n0,0,0,1") << "a cloud has its coordinates anyhow";
  EXPECT_EQ(head("query_size,size --transfer size"), "x,y,z,query_size,size\n0,0,0,1,2");
}

TEST_F(WhereTest, TextThatIsLeftOutIsNotLost) {
  EXPECT_TRUE(has(kann("--where 'x >= 0' -o o.ply --attributes size,kind").err,
                  "kann: warning: o.ply: left out of the attributes: 'kind' is text, which cloud-csv holds\n"));
  EXPECT_FALSE(has(kann("--where 'x >= 0' -o o.ply --attributes -kind").err, "warning"));
}

TEST_F(WhereTest, WrongColumnsAreRefused) {
  const auto refused = [&](const std::string& attributes, int code, const std::string& message) {
    expect_refused("--where 'x >= 0' -o o.ply --attributes " + attributes, code, message);
  };
  refused("-x", 3, "p.csv: --attributes: 'x' stays under its name, as a coordinate or a field of LAS records");
  refused("size=y", 3, "o.ply: --attributes: two columns would be called 'y'");
  refused("size,nn_id=size", 2, "--attributes expects each name once, got 'size,nn_id=size'");
  refused("size,-nn_id", 2,
          "--attributes expects either columns that are written, or -NAME for those that are not, got 'size,-nn_id'");
  refused("siz", 3,
          "p.csv: --attributes: no column 'siz' (there are x, y, z, kind, code, size, nn_id, nn_distance, neighbours); "
          "did you mean 'size'?");
  refused("query_size", 3,
          "o.ply: --attributes: no column 'query_size' (there are x, y, z, kind, code, size, nn_id, nn_distance)");
}

TEST_F(WhereTest, ConditionsAreWrittenInSeveralWays) {
  const std::string want = text("--where 'size < 4 and kind != elm' --output-format csv");
  EXPECT_EQ(text("--where \"size<4 AND kind <> 'elm'\" --output-format csv"), want);
  EXPECT_EQ(text("--where 'size < 4' --where 'kind IN oak,ash' --output-format csv"), want);
  EXPECT_EQ(text("--where 'size < 4' --where none --where 'kind == oak' --output-format csv"), want);
}

TEST_F(WhereTest, WrongConditionsAreRefused) {
  expect_refused("--where 'siz > 9'", 3,
                 "p.csv: no column 'siz' (it has x, y, z, kind, code, size); did you mean "
                 "'size'?");
  expect_refused("--where 'size = big'", 3, "p.csv: --where: 'size' has numbers, and 'big' is none");
  expect_refused("--query-where 'size = 1'", 2, "--query-where needs --query, which may be the file of the data again");
  expect_refused("--where size", 2,
                 "--where expects one of = != < <= > >= or in at its end, as in \"z > 0.5 and class in 2,6\", "
                 "got 'size'");
}

}  // namespace
}  // namespace kann::test
