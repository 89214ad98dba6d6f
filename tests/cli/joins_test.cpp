// --join, as a user runs it: tables with the columns of both clouds, text as it stands.
#include <algorithm>
#include <string>
#include <vector>

#include "joins_fixture.hpp"

namespace kann::test {
namespace {

TEST_F(JoinsTest, ATableHasTheColumnsOfBoth) {
  const std::string a = "a,0,1,2,0017,0,0,oak,12.50,0,1\n", b = "b,5,0.25,3,0018,5,0,\"elm, old\",,1,0.25\n",
                    c = ",90,90,4,,,,,,,\n", d = "d,1,0,5,0017,0,0,oak,12.50,0,1\n";
  EXPECT_EQ(table({"--join", "inner", "--radius", "3"}), k_header + a + b + d);
  EXPECT_EQ(table({"--join", "left", "--radius", "3"}), k_header + a + b + c + d);
  EXPECT_EQ(table({"--join", "anti", "--radius", "3"}), "name,x,y,size\n,90,90,4\n");
}

TEST_F(JoinsTest, ATableOfTabs) {
  EXPECT_EQ(table({"--join", "anti", "--radius", ".5"}, "out.tsv"),
            "name\tx\ty\tsize\na\t0\t1\t2\n\t90\t90\t4\nd\t1\t0\t5\n");
  EXPECT_NE(
      table({"--join", "inner", "--radius", ".5"}, "out.tsv").find("b\t5\t0.25\t3\t0018\t5\t0\t\"elm, old\"\t\t1\t"),
      std::string::npos);
}

TEST_F(JoinsTest, PointsWithoutNamesHaveCoordinates) {
  write_file("p.xyz", "0 0 0\n1 1 1\n");
  const Outcome o = run({"--data", "p.xyz", "--device", "cpu", "--join", "left", "-o", "out.csv"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("out.csv"),
            "query_x,query_y,query_z,data_x,data_y,data_z,nn_id,nn_distance\n0,0,0,1,1,1,1,1.7320508\n"
            "1,1,1,0,0,0,0,1.7320508\n");
}

/// --keep chooses the queries of tables and of clouds by what was found, by their columns, and by transferred text.
TEST_F(JoinsTest, KeepChoosesQueries) {
  const auto lines = [&](const std::string& condition, std::vector<std::string> more) {
    more.insert(more.end(), {"--keep", condition});
    const std::string written = table(more);
    return std::ranges::count(written, '\n') - 1;
  };
  const std::vector<std::string> joined = {"--radius", "3", "--join", "left", "-k", "2"};
  const std::vector<std::string> cloud = {"--radius",        "3",         "-k",         "2",
                                          "--output-format", "cloud-csv", "--transfer", "kind"};
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
    std::filesystem::remove(path("out.csv"));
    expect_refused({"--keep", condition, "-k", "1", "-o", "out.csv", "--output-format", "cloud-csv"}, 3,
                   "sensors.csv: " + message);
  };
  refused("nn_distnce < 1", "no column 'nn_distnce' (it has name, x, y, size); did you mean 'nn_distance'?");
  refused("name < b", "--keep: 'name' is text, which =, != and in compare");
  refused("size = big", "--keep: 'size' has numbers, and 'big' is none");
}

/// In a table, --keep chooses pairs by nn_id and nn_distance, and --attributes chooses columns of both sides.
TEST_F(JoinsTest, PairsAndColumnsAreChosen) {
  const std::vector<std::string> columns = {"-k", "2", "--join", "left", "--attributes", "nn_distance=d,name,id"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), columns.begin(), columns.end());
    return table(more);
  };
  EXPECT_EQ(with({"--radius", "3"}), "d,name,id\n1,a,0017\n0.25,b,0018\n0.75,b,0100\n,,\n1,d,0017\n");
  EXPECT_EQ(with({"--radius", "3", "--keep", "nn_distance < 1"}), "d,name,id\n0.25,b,0018\n0.75,b,0100\n");
  EXPECT_EQ(with({"--keep", "nn_id != 0 and nn_distance < 4 and size < 4"}), "d,name,id\n0.25,b,0018\n0.75,b,0100\n");
  const Outcome o = join({"--radius", "3", "--join", "inner", "--keep", "x >= 0", "-k", "2", "-o", "out.csv"});
  EXPECT_NE(o.err.find("; 3 kept\n"), std::string::npos) << "the query without a pair has no line: " << o.err;
  const std::string dropped =
      table({"-k", "1", "--join", "inner", "--attributes", "-query_x,-query_y,-data_x,-data_y"});
  EXPECT_EQ(dropped.substr(0, dropped.find('\n')), "name,query_size,id,kind,data_size,nn_id,nn_distance");
  std::filesystem::remove(path("out.csv"));
  expect_refused({"--join", "anti", "--radius", "1", "-o", "out.csv", "--attributes", "-name,-x,-y,-size"}, 3,
                 "out.csv: --attributes: no column is left");
}

/// A side without points has texts, too.
TEST_F(JoinsTest, WithoutPoints) {
  write_file("none.csv", "x,y,word\n");
  for (const auto& [data, query] :
       {std::pair("none.csv", "sensors.csv"), {"trees.csv", "none.csv"}, {"none.csv", "none.csv"}})
    for (const char* const how : {"left", "inner", "anti"}) {
      const Outcome o = run({data, query, "--device", "cpu", "--radius", "9", "--join", how, "-o", "n.csv", "--force"});
      EXPECT_EQ(o.exit_code, 0) << data << query << how << o.err;
    }
}

/// What is not found in this run is the queries' own, as that of an earlier run.
TEST_F(JoinsTest, KeepTakesOwnColumnsOfTheNameOfWhatCouldBeFound) {
  write_file("own.csv",
             "x,y,z,nn_distance,density,cluster,outlier,lof\n0,0,0,7,1,1,1,4\n1,0,0,8,1,1,0,5\n4,0,0,9,1,2,0,6\n");
  const auto kept = [&](const std::string& condition, std::vector<std::string> more) {
    more.insert(more.begin(), {"--data", "own.csv", "--device", "cpu", "--force", "--keep", condition, "-o", "out.csv",
                               "--output-format", "cloud-csv"});
    const Outcome o = run(more);
    EXPECT_EQ(o.exit_code, 0) << condition << o.err;
    const std::string text = read_file("out.csv");
    return std::ranges::count(text, '\n') - 1;
  };
  EXPECT_EQ(kept("cluster = 1", {"-k", "1"}), 2);
  EXPECT_EQ(kept("outlier = 1", {"-k", "1", "--picture", "p.png", "--picture-by", "cluster"}), 1);
  EXPECT_EQ(kept("density = 1 and lof > 4", {"-k", "1", "--picture", "q.png", "--picture-by", "outlier"}), 2);
  EXPECT_EQ(kept("nn_distance > 7", {"--cluster", "2,1"}), 2);
  EXPECT_EQ(kept("cluster = 0", {"--cluster", "2,1"}), 2);
  EXPECT_EQ(kept("nn_distance <= 1", {"-k", "1"}), 2);
  EXPECT_EQ(kept("cluster = 2", {"--grid", "1", "-k", "1", "--transfer", "cluster"}), 2);
}

TEST_F(JoinsTest, TextIsTransferredByNearestAndVote) {
  const std::vector<std::string> options = {"-k", "2", "--output-format", "cloud-csv", "--transfer", "kind,id"};
  const auto by = [&](const std::string& method) {
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {"--by", method, "-o", "out.csv"});
    return join(arguments);
  };
  EXPECT_EQ(by("nearest").exit_code, 0);
  EXPECT_NE(read_file("out.csv").find(",oak,0017\n"), std::string::npos) << read_file("out.csv");
  const Outcome voted = by("mean");
  EXPECT_EQ(voted.exit_code, 0) << voted.err;
  EXPECT_NE(voted.err.find("kann: warning: kind is text, so queries get the most frequent one\n"), std::string::npos)
      << voted.err;
  const Outcome refused = by("kind=mean,nearest");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_EQ(refused.err, "kann: error: trees.csv: 'kind' is text, for which --by takes nearest or vote\n");
}

TEST_F(JoinsTest, FormatsWithoutTextSaySo) {
  const std::string hint = "; as text, it goes into .csv, .tsv and --output-format cloud-csv alone\n";
  for (const char* const file : {"out.npz", "out.ply", "out.las"}) {
    const Outcome o = join({"--transfer", "kind", "-o", file});
    EXPECT_EQ(o.exit_code, 3);
    EXPECT_EQ(o.err, "kann: error: trees.csv:2: column 4 is not a number: 'oak'" + hint);
  }
  const Outcome o = join({"-k", "1", "-o", "out.ply"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_NE(
      o.err.find("kann: warning: sensors.csv: left out of the attributes: 'name' is not a number in line 2: 'a'\n"),
      std::string::npos)
      << o.err;
  const Outcome drawn = join({"--join", "left", "-o", "out.csv", "--picture", "p.png", "--picture-by", "name"});
  EXPECT_EQ(drawn.exit_code, 3);
  EXPECT_EQ(drawn.err, "kann: error: sensors.csv: 'name' is text, which --picture-by does not draw\n");
}

TEST_F(JoinsTest, TextAfterNumbersIsAsItIsFromAPipeToo) {
  const std::string cloud = "x,y,name\n0,0,1.50\n1,0,NA\n2,0,007\n3,0,b\n";
  write_file("late.csv", cloud);
  const std::vector<std::string> arguments = {"--data",   "trees.csv", "--query-format", "csv",  "--device", "cpu",
                                              "--radius", "0",         "--join",         "anti", "-o",       "out.csv",
                                              "--force",  "--query"};
  const auto query = [&](const std::string& file, const Settings& settings) {
    std::vector<std::string> all = arguments;
    all.push_back(file);
    return run(all, settings);
  };
  const std::string rest = cloud.substr(cloud.find("1,0"));
  EXPECT_EQ(query("late.csv", {}).exit_code, 0);
  EXPECT_EQ(read_file("out.csv"), "x,y,name\n" + rest);
  EXPECT_EQ(query("-", {.stdin_path = "late.csv"}).exit_code, 0);
  EXPECT_EQ(read_file("out.csv"), "x,y,name\n" + rest);
  std::vector<std::string> piped = arguments;
  piped.emplace_back("-");
  const pid_t pid = start(piped);
  send(cloud);
  end_input();
  EXPECT_EQ(finish(pid).exit_code, 0);
  EXPECT_EQ(read_file("out.csv"), "x,y,name\n" + rest);
}

TEST_F(JoinsTest, WrongOptionsAreRefused) {
  expect_refused({"--join", "outer", "-o", "out.csv"}, 2, "--join expects inner, left or anti, got 'outer'");
  expect_refused(
      {"--join", "inner", "-o", "out.npz"}, 2,
      "out.npz: has no place for --join; write .csv or .tsv, or choose points of a cloud by --keep 'neighbours > 0'");
  expect_refused({"--join", "inner", "--transfer", "kind", "-o", "out.csv"}, 2,
                 "out.csv: a table of --join has all columns of the data; leave out --transfer");
  expect_refused({"--join", "inner", "--stats"}, 2,
                 "--join needs --output with --stats or --picture: no result is written");
  expect_refused({"--join", "anti", "-o", "out.csv"}, 2,
                 "--join anti needs --radius R: without it, every query has a pair");
  expect_refused({"--match", "mutual", "-k", "2", "-o", "out.csv"}, 2,
                 "--match mutual is about the nearest neighbour of each point: give --k 1");
  for (const char* const match : {"mutual", "one-to-one"}) {
    expect_refused({"--match", match, "--verify", "-o", "out.csv"}, 2,
                   "--match does not go with --verify and --min-recall: all neighbours are judged");
    expect_refused({"--match", match, "--output-per-rank", "-o", "out.csv"}, 2,
                   "--output-per-rank does not go with --match: pairs are written by one rank");
    expect_refused({"--match", match, "--outliers", "3,1", "-o", "out.npz"}, 2,
                   "--match does not go with --outliers: its rows have one neighbour");
  }
  const auto lists = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--data", "trees.csv", "--device", "cpu", "-k", "all", "--radius", "9"});
    const Outcome o = run(more);
    EXPECT_EQ(o.exit_code, 2);
    return o.err;
  };
  EXPECT_EQ(lists({"--join", "inner", "--stats"}),
            "kann: error: --join needs --output with --stats or --picture: no result is written\n");
  EXPECT_EQ(lists({"--match", "one-to-one", "--pairs", "half", "-o", "out.csv"}),
            "kann: error: --pairs half does not go with --match: pairs are chosen among the rows of both points\n");
  for (const char* const join : {"left", "anti"})
    EXPECT_EQ(lists({"--join", join, "--pairs", "half", "-o", "out.csv"}),
              "kann: error: --pairs half does not go with --join left and anti: a pair is only in the row of its first "
              "point, and others would seem to be alone; give --join inner\n");
}

TEST_F(JoinsTest, EachPairOfACloudWithItselfOnce) {
  const auto table_of = [&](const std::string& pairs) {
    const Outcome o = run({"--data", "trees.csv", "--device", "cpu", "-k", "all", "--radius", "5", "--join", "inner",
                           "--pairs", pairs, "-o", "pairs.csv", "--force"});
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
  const Outcome o = join({"--join", "inner"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "sensors.knn.csv\n");
  EXPECT_TRUE(read_file("sensors.knn.csv").starts_with(k_header));
}

TEST_F(JoinsTest, EachJobOfABatchHasATable) {
  write_file("more.csv", "name,x,y\n007,0,0\n");
  const Outcome o = run({"--data", "trees.csv", "--query", "sensors.csv", "--query", "more.csv", "--join", "inner",
                         "--device", "cpu", "-o", "{stem}.joined.csv"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("more.joined.csv"),
            "name,query_x,query_y,id,data_x,data_y,kind,size,nn_id,nn_distance\n007,0,0,0017,0,0,oak,12.50,0,0\n");
  EXPECT_EQ(std::ranges::count(read_file("sensors.joined.csv"), '\n'), 5);
}

}  // namespace
}  // namespace kann::test
