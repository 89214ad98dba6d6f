// --radius and --k all, as a user runs them: the neighbours within a radius, k of them or all.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <random>

#include "run_kann.hpp"

namespace kann::test {
namespace {

class AllNeighborsTest : public ProgramTest {
 protected:
  AllNeighborsTest() : ProgramTest("--k all --device cpu --data line.csv") {
    write_file("line.csv", "x,y\n0,0\n1,0\n3,0\n0,2\n1,0\n");
    write_file("q.csv", "x,y\n0,0\n9,9\n");
  }
};

TEST_F(AllNeighborsTest, ListsThemAsText) {
  const Outcome o = succeeds("--query q.csv --radius 2 -o nn.csv --report r.json");
  EXPECT_EQ(o.out, "nn.csv\n");
  EXPECT_EQ(read_file("nn.csv"), "query,rank,id,distance\n0,0,0,0\n0,1,1,1\n0,2,4,1\n0,3,3,2\n");
  EXPECT_TRUE(has(o.err, "kann: 2 queries, 4 neighbours within 2 among 5 points, 2-D (x, y), on CPU"));
  const json report = json_of("r.json");
  EXPECT_EQ(report["k"], "all");
  EXPECT_EQ(report["pairs"], "both");
  EXPECT_EQ(report["method"], "exact");
  EXPECT_EQ(report["within_radius"], 4);
  succeeds("--query q.csv --radius 2 -o nn.tsv");
  EXPECT_EQ(read_file("nn.tsv"), "query\trank\tid\tdistance\n0\t0\t0\t0\n0\t1\t1\t1\n0\t2\t4\t1\n0\t3\t3\t2\n");
}

TEST_F(AllNeighborsTest, ListsThemAsAMatrix) {
  succeeds("--query q.csv --radius 2 -o nn.mtx");
  EXPECT_EQ(read_file("nn.mtx"), "%%MatrixMarket matrix coordinate real general\n2 5 4\n1 1 0\n1 2 1\n1 5 1\n1 4 2\n");
}

TEST_F(AllNeighborsTest, ListsAPairTwiceOrOnce) {
  succeeds("--radius 1 -o both.csv");
  EXPECT_EQ(read_file("both.csv"), "query,rank,id,distance\n0,0,1,1\n0,1,4,1\n1,0,4,0\n1,1,0,1\n4,0,1,0\n4,1,0,1\n");
  succeeds("--radius 1 --pairs half -o half.csv");
  EXPECT_EQ(read_file("half.csv"), "query,rank,id,distance\n0,0,1,1\n0,1,4,1\n1,0,4,0\n");
  EXPECT_EQ(written("--radius 0 --include-self -o self.csv", "self.csv"),
            "query,rank,id,distance\n0,0,0,0\n1,0,1,0\n1,1,4,0\n2,0,2,0\n3,0,3,0\n4,0,1,0\n4,1,4,0\n");
}

TEST_F(AllNeighborsTest, CountsThem) {
  const auto count = [&](const std::string& more) { return succeeds("--stats " + more); };
  EXPECT_EQ(count("--radius 1").out,
            "neighbours within 1: exact\n"
            "   queries  neighbours  mean per query\n"
            "         5           6             1.2\n");
  EXPECT_EQ(count_in(count("--radius 1 --pairs half")), "3");
  EXPECT_EQ(count_in(count("--radius 1 --pairs half --periodic 10,10")), "3");
  EXPECT_EQ(count_in(count("--radius 1 --pairs half --include-self")), "3");
  EXPECT_EQ(count_in(count("--query q.csv --radius 1")), "3");
  EXPECT_EQ(count_in(count("--query q.csv --radius 1e300")), "10");
  EXPECT_EQ(json::parse(count("--radius 1 --json").out)["within_radius"], 6);
  EXPECT_EQ(files(), (Names{"line.csv", "q.csv"}));
}

TEST_F(AllNeighborsTest, HaveLimitsOfEachQuery) {
  write_file("own.csv", "x,y,reach,least,name\n0,0,2,1,a\n0,0,0.5,0,b\n9,9,inf,12,c\n");
  const std::string head = "query,rank,id,distance\n";
  EXPECT_EQ(written("--query own.csv --radius reach --min-radius 1 -o own-1.csv", "own-1.csv"),
            head +
                "0,0,1,1\n0,1,4,1\n0,2,3,2\n2,0,2,10.816654\n2,1,3,11.401754\n2,2,1,12.0415945\n2,3,4,12.0415945\n"
                "2,4,0,12.727922\n");
  const Outcome o = succeeds("--query own.csv --k 2 --radius reach --min-radius least -o two.csv --report r.json");
  EXPECT_EQ(read_file("two.csv"), head + "0,0,1,1\n0,1,4,1\n1,0,0,0\n1,1,-1,inf\n2,0,1,12.0415945\n2,1,4,12.0415945\n");
  EXPECT_TRUE(has(o.err, "exact, at least 'least' away; 5 neighbours within 'reach'")) << o.err;
  EXPECT_EQ(json_of("r.json")["limits"], (json{{"radius", "reach"}, {"min_radius", "least"}}));
  EXPECT_EQ(json_of("r.json")["radius"], json());
  EXPECT_EQ(succeeds("--query own.csv --radius reach --stats").out.substr(0, 27), "neighbours within 'reach': ");
  EXPECT_EQ(count_in(succeeds("--query own.csv --radius reach --stats")), "10");
  EXPECT_TRUE(has(error_of("--query own.csv --radius name", 3), "own.csv: --radius 'name' is text"));
  EXPECT_TRUE(has(error_of("--query own.csv --radius far", 3), "far"));
  write_file("none.csv", "x,y,reach\n");
  EXPECT_EQ(written("--query none.csv --radius reach -o none-out.csv", "none-out.csv"), head);
  write_file("bad.csv", "x,y,reach\n0,0,1\n0,0,-1\n0,0,\n");
  EXPECT_TRUE(
      has(error_of("--query bad.csv --radius reach", 3), "bad.csv: --radius 'reach' of point 1 is -1, and limits"));
  EXPECT_TRUE(
      has(error_of("--query own.csv --k 1 --radius reach --verify", 2), "--radius NAME does not go with --verify"));
  for (const std::string limit : {"--radius reach", "--radius 1 --min-radius reach"})
    EXPECT_TRUE(has(error_of("--grid 1 " + limit, 2), "radius NAME: its cells have no attributes"));
  EXPECT_TRUE(has(error_of("--query own.csv --radius 1x", 2), "--radius expects a finite number"));
  EXPECT_TRUE(has(error_of("--query own.csv --radius nan", 2), "--radius expects a finite number"));
}

/// A result or a picture is made as without --stats.
TEST_F(AllNeighborsTest, AreCountedBesideAResult) {
  succeeds("--radius 1 -o plain.csv");
  const Outcome o = kann("--radius 1 --stats -o counted.csv --picture counted.png");
  EXPECT_EQ(o.out, "counted.csv\n");
  EXPECT_TRUE(has(o.err, "kann: neighbours within 1: exact\n"));
  EXPECT_EQ(read_file("counted.csv"), read_file("plain.csv"));
  const Outcome drawn = kann("--radius 1 --stats --picture p.png");
  EXPECT_EQ(count_in(drawn), "6");
  EXPECT_TRUE(has(drawn.err, "kann: picture: p.png\n"));
  EXPECT_EQ(read_file("p.png"), read_file("counted.png"));
}

/// Pairs are rows of one neighbour, whose distances are measured as those of others.
TEST_F(AllNeighborsTest, PairsAmongThemHaveStatistics) {
  const Outcome o = kann("--radius 1 --match one-to-one --stats");
  EXPECT_TRUE(has(o.out, "\n   1        2     0          0    0       0    0    0    0\n")) << o.err;
}

TEST_F(AllNeighborsTest, AreFoundInPeriodicBoxes) {
  succeeds("--radius 1.5 --periodic 4,0 -o nn.csv");
  // The point at 3 is 1 from that at 0, and 2 from those at 1
  EXPECT_EQ(read_file("nn.csv"),
            "query,rank,id,distance\n0,0,1,1\n0,1,2,1\n0,2,4,1\n1,0,4,0\n1,1,0,1\n2,0,0,1\n4,0,1,0\n4,1,0,1\n");
}

/// Neighbours that do not fit into --max-memory together.
TEST_F(AllNeighborsTest, ThatDoNotFitInMemoryAreSearchedAgain) {
  write_cloud("cloud.xyz", 2000, 5);
  for (const std::string output : {"nn.npz", "nn.mtx --pairs half"}) {
    const std::string search = "--data cloud.xyz --radius 0.5 --force -o " + output, name = output.substr(0, 6);
    const std::string whole = written(search, name);
    EXPECT_TRUE(has(succeeds(search + " --max-memory 20MB").err,
                    "within 0.5 do not fit in memory together; they are searched again while they are written\n"));
    EXPECT_TRUE(read_file(name) == whole) << output;
  }
}

TEST_F(AllNeighborsTest, HaveTheSameBytesInTiles) {
  write_cloud("cloud.xyz", 60'000, 5);
  for (const std::string more :
       {"-o - --output-format npz", "-o - --output-format npz --pairs half --periodic 1,1,1", "--stats --pairs half"}) {
    const std::string search = "--data cloud.xyz --radius .03 " + more;
    const Outcome o = succeeds(search + " --max-memory 16MB");
    EXPECT_TRUE(has(o.err, " tiles: "));
    EXPECT_TRUE(o.out == written(search)) << more;
  }
}

TEST_F(AllNeighborsTest, RefusesWhatDoesNotGoTogether) {
  expect_refused("", 2, "--k all needs --radius R");
  expect_refused("--radius -1", 2, "--radius expects a finite number of at least 0, got '-1'");
  for (const auto& [option, flags] : {std::pair{"--verify", "--verify and --min-recall"},
                                      {"--compare x.npz", "--compare"},
                                      {"--by rbf --transfer z", "--by rbf"},
                                      {"--outliers 8,2", "--outliers"},
                                      {"--output-per-rank", "--output-per-rank"}})
    expect_refused("--radius 1 " + std::string(option), 2,
                   fmt::format("--k all does not go with {}: all rows must have the same length; give --k N", flags));
  expect_refused("--radius 1 -o nn.bin", 2,
                 "nn.bin: has no place for rows of any length (--k all); write .npz, .csv, .tsv, .mtx or a cloud "
                 "(.ply, .las)");
  expect_refused("--radius 1 --pairs half --query q.csv", 2,
                 "--pairs half does not go with --query: only a search of the data among themselves has such pairs");
  expect_refused("-k 8 --pairs half", 2, "--pairs half needs --k all");
  expect_refused("-k 8 -o nn.mtx", 2, "nn.mtx: a matrix has rows of any length; give --k all --radius R");
}

/// More than any disk holds are counted, and refused before a byte is written.
TEST_F(AllNeighborsTest, RefusesAResultThatTheDiskDoesNotHold) {
  constexpr std::int64_t n = 2'000'000;
  std::string header = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment dimensions 2\nelement vertex {}\nproperty float x\n"
      "property float y\nend_header\n",
      n);
  std::vector<float> points;
  std::mt19937 random(5);
  for (std::int64_t i = 0; i < 2 * n; ++i) points.push_back(std::uniform_real_distribution<float>(0, 1)(random));
  write_file("cloud.ply",
             header + std::string(reinterpret_cast<const char*>(points.data()), points.size() * sizeof(float)));
  const std::string error = error_of("--radius 2 --data cloud.ply -o nn.npz", 4);
  EXPECT_TRUE(has(error, "nn.npz: 3999998000000 neighbours within the radius need at least 32 TB, "));
  EXPECT_TRUE(has(error, " are free; --stats without --output counts them\n"));
}

/// A batch: each query has its own file, or its own count.
TEST_F(AllNeighborsTest, AreFoundInBatches) {
  write_file("r.csv", "x,y\n1,0\n");
  succeeds("--query q.csv --query r.csv --radius 1 -o {stem}.csv.csv");
  EXPECT_EQ(read_file("r.csv.csv"), "query,rank,id,distance\n0,0,1,0\n0,1,4,0\n0,2,0,1\n");
  const Outcome counted = kann("--query q.csv --query r.csv --radius 1 --stats");
  for (const std::string name : {"q.csv", "r.csv"})
    EXPECT_TRUE(has(counted.out, name + "\nneighbours within 1: exact\n"));
}

using RadiusTest = ProgramTest;

TEST_F(RadiusTest, RowsEndAtTheRadius) {
  write_file("pts.csv", "x,y\n0,0\n1,0\n3,0\n0,2\n");
  write_file("q.csv", "x,y\n0,0\n9,9\n");
  const Outcome o =
      succeeds("--data pts.csv --query q.csv -k 3 --radius 2 -o nn.csv --device cpu --report r.json --verify");
  EXPECT_EQ(read_file("nn.csv"),
            "query,rank,id,distance\n0,0,0,0\n0,1,1,1\n0,2,3,2\n1,0,-1,inf\n1,1,-1,inf\n1,2,-1,inf\n");
  EXPECT_TRUE(has(o.err, "; exact; 3 neighbours within 2; 1 query may have more than 3, which -k all finds\n"));
  EXPECT_TRUE(has(o.err, "recall 1.0000, mean distance ratio 1.0000, 2 all-correct, 2 identical"));
  const json report = json_of("r.json");
  EXPECT_EQ(report["radius"], 2.0);
  EXPECT_EQ(report["within_radius"], 3);
  EXPECT_EQ(report["full_rows"], 1);
  EXPECT_EQ(report["warnings"], json::array());
}

/// A row is full if it has k neighbours; one that has all points is not cut off.
TEST_F(RadiusTest, SaysWhichRowsMayBeCutOff) {
  write_file("line.csv", "x,y\n0,0\n1,0\n2,0\n9,0\n");  // within 1: 1, 2, 1 and 0 others
  const auto summary = [&](const std::string& k) {
    const Outcome o =
        succeeds("--data line.csv -k " + k + " --radius 1 -o nn.csv --force --device cpu --report r.json");
    return o.err.substr(o.err.find("; exact; ") + 9);
  };
  const auto full_rows = [&] { return json_of("r.json")["full_rows"]; };
  EXPECT_EQ(summary("1"), "3 neighbours within 1; 3 queries may have more than 1, which -k all finds\n");
  EXPECT_EQ(full_rows(), 3);
  EXPECT_EQ(summary("2"), "4 neighbours within 1; 1 query may have more than 2, which -k all finds\n");
  EXPECT_EQ(full_rows(), 1);
  EXPECT_EQ(summary("3"), "4 neighbours within 1\n");
  EXPECT_EQ(full_rows(), 0);
  const Outcome all =
      kann("--data line.csv -k 4 --include-self --radius 100 -o nn.csv --force --device cpu --report r.json");
  EXPECT_TRUE(ends(all.err, "; 16 neighbours within 100\n"));
  EXPECT_EQ(full_rows(), 4);
  succeeds("--data line.csv -o nn.csv --force --report r.json");
  EXPECT_FALSE(json_of("r.json").contains("full_rows"));
}

TEST_F(RadiusTest, NothingWithinPassesNoCheck) {
  write_cloud("q.xyz", 50, 1);
  const std::string plain = "--data q.xyz --radius 1e-300 --device cpu --force";
  succeeds(plain);
  EXPECT_TRUE(has(error_of(plain + " --min-recall 0", 1),
                  "--min-recall: nothing could be checked: no query has a point within --radius"));
}

TEST_F(RadiusTest, NoneTakesThatOfAConfigurationBack) {
  write_file("line.csv", "x,y\n0,0\n1,0\n2,0\n9,0\n");
  write_file("kann.toml", "radius = 1\n");
  const std::string all = "--data line.csv -k 1 --config kann.toml -o nn.csv --force";
  EXPECT_TRUE(has(kann(all).err, "neighbours within 1"));
  EXPECT_FALSE(has(succeeds(all + " --radius none").err, "within"));
}

TEST_F(RadiusTest, IsANumberOfAtLeastZero) {
  for (const std::string text : {"-1", "nan", "inf", "", "1e999", "0x1", "1,5", "-0"})
    expect_refused("--data q.xyz --radius '" + text + "'", 2,
                   "--radius expects a finite number of at least 0, got '" + text + "'");
}

}  // namespace
}  // namespace kann::test
