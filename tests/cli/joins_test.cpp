// --join and --match, as a user runs them: tables with the columns of both clouds, text as it stands, and pairs.
// tests/python/ compares pairs and tables with their definition.
#include <algorithm>
#include <filesystem>

#include "run_kann.hpp"

namespace kann::test {
namespace {

class JoinsTest : public ProgramTest {
 protected:
  JoinsTest() : ProgramTest("--data trees.csv --query sensors.csv --device cpu --force") {
    write_file("trees.csv",
               "id,x,y,kind,size\n"
               "0017,0,0,oak,12.50\n"
               "0018,5,0,\"elm, old\",\n"
               "0100,5,1,\"the \"\"big\"\" one\",7\n");
    write_file("sensors.csv", "name,x,y,size\na,0,1,2\nb,5,0.25,3\n,90,90,4\nd,1,0,5\n");
  }

  std::string table(const std::string& more, const std::string& file = "out.csv") const {
    EXPECT_EQ(written(more + " -o " + file), file + "\n");
    return read_file(file);
  }
};

const std::string k_header = "name,query_x,query_y,query_size,id,data_x,data_y,kind,data_size,nn_id,nn_distance\n";

TEST_F(JoinsTest, ATableHasTheColumnsOfBoth) {
  const std::string a = "a,0,1,2,0017,0,0,oak,12.50,0,1\n", b = "b,5,0.25,3,0018,5,0,\"elm, old\",,1,0.25\n",
                    c = ",90,90,4,,,,,,,\n", d = "d,1,0,5,0017,0,0,oak,12.50,0,1\n";
  EXPECT_EQ(table("--join inner --radius 3"), k_header + a + b + d);
  EXPECT_EQ(table("--join left --radius 3"), k_header + a + b + c + d);
  EXPECT_EQ(table("--join anti --radius 3"), "name,x,y,size\n,90,90,4\n");
}

TEST_F(JoinsTest, ATableOfTabs) {
  EXPECT_EQ(table("--join anti --radius .5", "out.tsv"), "name\tx\ty\tsize\na\t0\t1\t2\n\t90\t90\t4\nd\t1\t0\t5\n");
  EXPECT_TRUE(has(table("--join inner --radius .5", "out.tsv"), "b\t5\t0.25\t3\t0018\t5\t0\t\"elm, old\"\t\t1\t"));
}

TEST_F(JoinsTest, PointsWithoutNamesHaveCoordinates) {
  write_file("p.xyz", "0 0 0\n1 1 1\n");
  const Outcome o = run("--data p.xyz --device cpu --join left -o out.csv");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("out.csv"),
            "query_x,query_y,query_z,data_x,data_y,data_z,nn_id,nn_distance\n0,0,0,1,1,1,1,1.7320508\n"
            "1,1,1,0,0,0,0,1.7320508\n");
}

/// --keep chooses the queries of tables and of clouds by what was found, by their columns, and by transferred text.
TEST_F(JoinsTest, KeepChoosesQueries) {
  const auto lines = [&](const std::string& condition, const std::string& more) {
    return std::ranges::count(table(more + " --keep '" + condition + "'"), '\n') - 1;
  };
  const std::string joined = "--radius 3 --join left -k 2";
  const std::string cloud = "--radius 3 -k 2 --output-format cloud-csv --transfer kind";
  EXPECT_EQ(lines("neighbours = 0", cloud), 1);
  EXPECT_EQ(lines("neighbours > 0", cloud), 3);
  EXPECT_EQ(lines("nn_distance <= 1", cloud), 3);
  EXPECT_EQ(lines("nn_distance<=1 and size < 4", joined), 3) << "of a query with two neighbours";
  EXPECT_EQ(lines("name in a,b,z", cloud), 2);
  EXPECT_EQ(lines("name != a", cloud), 2) << "one has no name";
  write_file("sensors.csv", "name,x,y\nNA,0,1\nb,5,0.25\nnull,90,90\nNaN,1,0\na,1,0\n");
  EXPECT_EQ(lines("name != a", cloud), 1) << "what stands for a missing value meets nothing";
  write_file("sensors.csv", "name,x,y,size\na,0,1,2\nb,5,0.25,3\n,90,90,4\nd,1,0,5\n");
  EXPECT_EQ(lines("\"kind\" = \"elm, old\"", cloud), 1);
  EXPECT_EQ(lines("x >= 0 and x < 50 and name=a", cloud), 1);
  EXPECT_EQ(lines("x > 1e9", cloud), 0);
  const auto refused = [&](const std::string& condition, const std::string& message) {
    expect_refused("--keep '" + condition + "' -k 1 -o out.csv --output-format cloud-csv", 3,
                   "sensors.csv: " + message);
  };
  refused("nn_distnce < 1", "no column 'nn_distnce' (it has name, x, y, size); did you mean 'nn_distance'?");
  refused("name < b", "--keep: 'name' is text, which =, != and in compare");
  refused("size = big", "--keep: 'size' has numbers, and 'big' is none");
}

/// In a table, --keep chooses pairs by nn_id and nn_distance, and --attributes chooses columns of both sides.
TEST_F(JoinsTest, PairsAndColumnsAreChosen) {
  const auto with = [&](const std::string& more) {
    return table("-k 2 --join left --attributes nn_distance=d,name,id " + more);
  };
  EXPECT_EQ(with("--radius 3"), "d,name,id\n1,a,0017\n0.25,b,0018\n0.75,b,0100\n,,\n1,d,0017\n");
  EXPECT_EQ(with("--radius 3 --keep 'nn_distance < 1'"), "d,name,id\n0.25,b,0018\n0.75,b,0100\n");
  EXPECT_EQ(with("--keep 'nn_id != 0 and nn_distance < 4 and size < 4'"), "d,name,id\n0.25,b,0018\n0.75,b,0100\n");
  const Outcome o = kann("--radius 3 --join inner --keep 'x >= 0' -k 2 -o out.csv");
  EXPECT_TRUE(has(o.err, "; 3 kept\n")) << "the query without a pair has no line";
  const std::string dropped = table("-k 1 --join inner --attributes -query_x,-query_y,-data_x,-data_y");
  EXPECT_EQ(dropped.substr(0, dropped.find('\n')), "name,query_size,id,kind,data_size,nn_id,nn_distance");
  expect_refused("--join anti --radius 1 -o out.csv --attributes -name,-x,-y,-size", 3,
                 "out.csv: --attributes: no column is left");
}

/// A side without points has texts, too.
TEST_F(JoinsTest, WithoutPoints) {
  write_file("none.csv", "x,y,word\n");
  for (const std::string clouds : {"none.csv sensors.csv", "trees.csv none.csv", "none.csv none.csv"})
    for (const std::string how : {"left", "inner", "anti"}) {
      const Outcome o = run(clouds + " --device cpu --radius 9 -o n.csv --force --join " + how);
      EXPECT_EQ(o.exit_code, 0) << clouds << how << o.err;
    }
}

/// What is not found in this run is the queries' own, as that of an earlier run.
TEST_F(JoinsTest, KeepTakesOwnColumnsOfTheNameOfWhatCouldBeFound) {
  write_file("own.csv",
             "x,y,z,nn_distance,density,cluster,outlier,lof\n0,0,0,7,1,1,1,4\n1,0,0,8,1,1,0,5\n4,0,0,9,1,2,0,6\n");
  const auto kept = [&](const std::string& condition, const std::string& more) {
    const Outcome o =
        run("own.csv --device cpu --force -o out.csv --output-format cloud-csv --keep '" + condition + "' " + more);
    EXPECT_EQ(o.exit_code, 0) << condition << o.err;
    return std::ranges::count(read_file("out.csv"), '\n') - 1;
  };
  EXPECT_EQ(kept("cluster = 1", "-k 1"), 2);
  EXPECT_EQ(kept("outlier = 1", "-k 1 --picture p.png --picture-by cluster"), 1);
  EXPECT_EQ(kept("density = 1 and lof > 4", "-k 1 --picture q.png --picture-by outlier"), 2);
  EXPECT_EQ(kept("nn_distance > 7", "--cluster 2,1"), 2);
  EXPECT_EQ(kept("cluster = 0", "--cluster 2,1"), 2);
  EXPECT_EQ(kept("nn_distance <= 1", "-k 1"), 2);
  EXPECT_EQ(kept("cluster = 2", "--grid 1 -k 1 --transfer cluster"), 2);
}

TEST_F(JoinsTest, TextIsTransferredByNearestAndVote) {
  const std::string by = "-k 2 --output-format cloud-csv --transfer kind,id -o out.csv --by ";
  EXPECT_TRUE(has(written(by + "nearest", "out.csv"), ",oak,0017\n"));
  EXPECT_TRUE(has(succeeds(by + "mean").err, "kann: warning: kind is text, so queries get the most frequent one\n"));
  expect_refused(by + "kind=mean,nearest", 3, "trees.csv: 'kind' is text, for which --by takes nearest or vote");
}

TEST_F(JoinsTest, FormatsWithoutTextSaySo) {
  const std::string hint = "; as text, it goes into .csv, .tsv and --output-format cloud-csv alone";
  for (const std::string file : {"out.npz", "out.ply", "out.las"})
    expect_refused("--transfer kind -o " + file, 3, "trees.csv:2: column 4 is not a number: 'oak'" + hint);
  EXPECT_TRUE(has(succeeds("-k 1 -o out.ply").err,
                  "kann: warning: sensors.csv: left out of the attributes: 'name' is not a number in line 2: 'a'\n"));
  expect_refused("--join left -o out.csv --picture p.png --picture-by name", 3,
                 "sensors.csv: 'name' is text, which --picture-by does not draw");
}

TEST_F(JoinsTest, TextAfterNumbersIsAsItIsFromAPipeToo) {
  const std::string cloud = "x,y,name\n0,0,1.50\n1,0,NA\n2,0,007\n3,0,b\n";
  write_file("late.csv", cloud);
  const std::string rest = "x,y,name\n" + cloud.substr(cloud.find("1,0"));
  const std::string search = "trees.csv --query-format csv --device cpu --radius 0 --join anti --force -o ";
  EXPECT_EQ(run(search + "a.csv --query late.csv").exit_code, 0);
  EXPECT_EQ(run(search + "b.csv --query -", {.stdin_path = "late.csv"}).exit_code, 0);
  const pid_t pid = start(search + "c.csv --query -");
  send(cloud);
  end_input();
  EXPECT_EQ(finish(pid).exit_code, 0);
  for (const char* const written : {"a.csv", "b.csv", "c.csv"}) EXPECT_EQ(read_file(written), rest) << written;
}

TEST_F(JoinsTest, WrongOptionsAreRefused) {
  expect_refused("--join outer -o out.csv", 2, "--join expects inner, left or anti, got 'outer'");
  expect_refused(
      "--join inner -o out.npz", 2,
      "out.npz: has no place for --join; write .csv or .tsv, or choose points of a cloud by --keep 'neighbours > 0'");
  expect_refused("--join inner --transfer kind -o out.csv", 2,
                 "out.csv: a table of --join has all columns of the data; leave out --transfer");
  expect_refused("--join inner --stats", 2, "--join needs --output with --stats or --picture: no result is written");
  expect_refused("--join anti -o out.csv", 2, "--join anti needs --radius R: without it, every query has a pair");
  expect_refused("--match mutual -k 2 -o out.csv", 2,
                 "--match mutual is about the nearest neighbour of each point: give --k 1");
  for (const std::string match : {"mutual", "one-to-one"}) {
    expect_refused("--match " + match + " --verify -o out.csv", 2,
                   "--match does not go with --verify and --min-recall: all neighbours are judged");
    expect_refused("--match " + match + " --output-per-rank -o out.csv", 2,
                   "--output-per-rank does not go with --match: pairs are written by one rank");
    expect_refused("--match " + match + " --outliers 3,1 -o out.npz", 2,
                   "--match does not go with --outliers: its rows have one neighbour");
  }
  const auto expect_lists_refused = [&](const std::string& more, const std::string& message) {
    const Outcome o = run("trees.csv --device cpu -k all --radius 9 " + more);
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_EQ(o.err, "kann: error: " + message + "\n");
  };
  expect_lists_refused("--join inner --stats", "--join needs --output with --stats or --picture: no result is written");
  expect_lists_refused("--match one-to-one --pairs half -o out.csv",
                       "--pairs half does not go with --match: pairs are chosen among the rows of both points");
  for (const std::string join : {"left", "anti"})
    expect_lists_refused("--pairs half -o out.csv --join " + join,
                         "--pairs half does not go with --join left and anti: a pair is only in the row of its first "
                         "point, and others would seem to be alone; give --join inner");
}

TEST_F(JoinsTest, EachPairOfACloudWithItselfOnce) {
  const auto table_of = [&](const std::string& pairs) {
    const Outcome o =
        run("--data trees.csv --device cpu -k all --radius 5 --join inner --pairs " + pairs + " -o pairs.csv --force");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return read_file("pairs.csv");
  };
  const std::string half = table_of("half"), both = table_of("both");
  EXPECT_EQ(half,
            "query_id,query_x,query_y,query_kind,query_size,data_id,data_x,data_y,data_kind,data_size,nn_id,"
            "nn_distance\n"
            "0017,0,0,oak,12.50,0018,5,0,\"elm, old\",,1,5\n"
            "0018,5,0,\"elm, old\",,0100,5,1,\"the \"\"big\"\" one\",7,2,1\n");
  EXPECT_EQ(std::ranges::count(both, '\n'), 5);
}

TEST_F(JoinsTest, WithoutAnOutputATableIsWritten) {
  EXPECT_EQ(written("--join inner"), "sensors.knn.csv\n");
  EXPECT_TRUE(begins(read_file("sensors.knn.csv"), k_header));
}

TEST_F(JoinsTest, EachJobOfABatchHasATable) {
  write_file("more.csv", "name,x,y\n007,0,0\n");
  succeeds("--query more.csv --join inner -o {stem}.joined.csv");
  EXPECT_EQ(read_file("more.joined.csv"),
            "name,query_x,query_y,id,data_x,data_y,kind,size,nn_id,nn_distance\n007,0,0,0017,0,0,oak,12.50,0,0\n");
  EXPECT_EQ(std::ranges::count(read_file("sensors.joined.csv"), '\n'), 5);
}

TEST_F(JoinsTest, MutualPairs) {
  EXPECT_EQ(table("--join inner --match mutual"),
            k_header + "a,0,1,2,0017,0,0,oak,12.50,0,1\nb,5,0.25,3,0018,5,0,\"elm, old\",,1,0.25\n");
  EXPECT_EQ(table("--match mutual --radius 100"),
            "query,rank,id,distance\n0,0,0,1\n1,0,1,0.25\n2,0,-1,inf\n3,0,-1,inf\n");
  const Outcome o = run("--data trees.csv --match mutual --device cpu -o self.csv --report r.json");
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("self.csv"), "query,rank,id,distance\n0,0,-1,inf\n1,0,2,1\n2,0,1,1\n");
  EXPECT_TRUE(has(o.err, "; 2 pairs of 2 queries, 1 query without one\n"));
  const json report = json_of("r.json");
  EXPECT_EQ(report["join"], (json{{"queries", "left"}, {"pairs", 2}, {"queries_with_pair", 2}}));
  EXPECT_EQ(report["match"], "mutual");
}

TEST_F(JoinsTest, OneToOnePairs) {
  const std::string expected = "query,rank,id,distance\n0,0,0,1\n1,0,1,0.25\n2,0,-1,inf\n3,0,2,4.1231055\n";
  EXPECT_EQ(table("--match one-to-one --radius 9"), expected);
  EXPECT_EQ(table("--match one-to-one --radius 9 -k all"), expected);
  EXPECT_TRUE(
      has(succeeds("--match one-to-one -k 1 --radius 9 -o cut.csv").err,
          "kann: warning: --match one-to-one: 1 of 4 queries have lost their 1 nearest neighbour to others, and "
          "may have a pair with one farther away; give --k all, or a larger --k\n"));
  EXPECT_EQ(read_file("cut.csv"), "query,rank,id,distance\n0,0,0,1\n1,0,1,0.25\n2,0,-1,inf\n3,0,-1,inf\n");
  EXPECT_TRUE(has(succeeds("--match one-to-one -k 1 -o cut.csv").err, "give --k all --radius R, or a larger --k\n"));
}

TEST_F(JoinsTest, PairsAtDistancesThatFloat32LosesAreWarnedOf) {
  for (const std::string x : {"1e39", "1e-50"})
    for (const std::string& rows : {std::string("-k 2"), "-k all --radius " + x}) {
      write_file("a.csv", "x,y\n0,0\n0," + x + "\n");
      write_file("b.csv", "x,y\n" + x + "," + x + "\n" + x + ",0\n");
      const std::string search = rows + " --match one-to-one -o lost.csv --force --device cpu a.csv ";
      EXPECT_TRUE(has(run(search + "b.csv").err,
                      "--match one-to-one: float32 holds none of the distances, which are written as 0 or inf"));
      EXPECT_FALSE(has(run(search + "a.csv").err, "float32 holds none")) << "of the same places";
    }
}

TEST_F(JoinsTest, ListsOfOneToOneHaveToFitInMemory) {
  std::string lines = "x,y\n";
  for (int i = 0; i < 2000; ++i) lines += "1,1\n";
  write_file("same.csv", lines);
  const std::string search = "same.csv same.csv --device cpu -k all --radius 1 -o o.csv --match one-to-one";
  const Outcome refused = run(search + " --max-memory 20MB");
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_TRUE(has(refused.err,
                  "kann: error: --match one-to-one: 4000000 neighbours within 1 do not fit in memory together; take a "
                  "smaller --radius, or --k N\n"));
  EXPECT_EQ(run(search).exit_code, 0);
  EXPECT_TRUE(ends(read_file("o.csv"), "\n1999,0,1999,0\n"));
}

TEST_F(JoinsTest, PairsAreNoReference) {
  succeeds("--match mutual -o pairs.npz");
  expect_refused("-k 1 -o o.npz --compare pairs.npz", 3, "pairs.npz: has the pairs of --match, not all neighbours");
}

}  // namespace
}  // namespace kann::test
