// --periodic, as a user runs it.
#include <algorithm>
#include <fmt/format.h>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using PeriodicTest = ProgramTest;

TEST_F(PeriodicTest, NeighboursAreAcrossTheFaces) {
  write_file("pts.csv", "x,y\n0.5,0\n9.5,0\n5,0\n5,9\n");
  const Outcome o = succeeds("--data pts.csv -k 2 --periodic 10,10 -o nn.csv --device cpu --report r.json --verify");
  EXPECT_EQ(read_file("nn.csv"),
            "query,rank,id,distance\n0,0,1,1\n0,1,2,4.5\n1,0,0,1\n1,1,2,4.5\n2,0,3,1\n2,1,0,4.5\n3,0,2,1\n"
            "3,1,0,4.609772\n");
  EXPECT_TRUE(has(o.err, "; exact, periodic 10,10\n"));
  EXPECT_TRUE(has(o.err, "recall 1.0000, mean distance ratio 1.0000, 4 all-correct, 4 identical"));
  const json report = json_of("r.json");
  EXPECT_EQ(report["periodic"], (json{10.0, 10.0}));
  EXPECT_EQ(report["method"], "exact");
}

/// The cell of rock salt: each atom has 6 neighbours of the other kind, two by two images of each other.
struct RockSaltTest : ProgramTest {
  RockSaltTest() : ProgramTest("--data cell.csv --device cpu --force --periodic 5.64,5.64,5.64") {
    std::string atoms = "x,y,z,element\n";
    for (int i = 0; i < 8; ++i)
      atoms += fmt::format("{},{},{},{}\n", 2.82 * (i % 2), 2.82 * (i / 2 % 2), 2.82 * (i / 4),
                           (i % 2 + i / 2 % 2 + i / 4) % 2 ? "Cl" : "Na");
    write_file("cell.csv", atoms);
  }
};

TEST_F(RockSaltTest, ARadiusPastHalfOfTheBoxIsRefused) {
  for (const std::string rest :
       {"-k all --stats", "-k 2", "-k all --group element", "-k 3 --features normals", "--join inner -o j.csv"})
    expect_refused("--radius 2.9 " + rest, 2,
                   "--radius 2.9 needs a --periodic that repeats after more than twice that, got 5.64; take --images "
                   "all, with which every image is a neighbour");
}

TEST_F(RockSaltTest, AllImagesAreBonds) {
  const std::string all = "--radius 2.9 -k all --images all ", nearest = "-k 6 --images all ";
  const std::string header = "query,rank,id,distance,shift_a,shift_b,shift_c\n";
  EXPECT_TRUE(has(written(all + "--stats"), "\n         8          48               6\n"));
  EXPECT_TRUE(has(written(all + "--stats --pairs half"), "24"));
  const std::string bonds = written(all + "-o bonds.csv", "bonds.csv");
  EXPECT_TRUE(begins(bonds, header + "0,0,1,2.82,-1,0,0\n0,1,1,2.82,0,0,0\n0,2,2,2.82,0,-1,0\n0,3,2,2.82,0,0,0\n"));
  EXPECT_EQ(written(all + "-o none.csv --radius 0.1", "none.csv"), header);
  EXPECT_EQ(written(all + "-o other.csv --other-group element", "other.csv"), bonds);
  EXPECT_EQ(written(nearest + "-o nearest.csv --verify", "nearest.csv"), bonds);
  EXPECT_TRUE(begins(
      written(nearest + "--join inner -o join.csv", "join.csv"),
      "query_x,query_y,query_z,query_element,data_x,data_y,data_z,data_element,nn_id,nn_distance,shift_a,shift_b,"));
  succeeds(nearest + "-o n.npz");
  EXPECT_TRUE(has(run("check n.npz").err, "ids and distances are checked, shifts are not"));
  EXPECT_TRUE(has(succeeds(nearest + "-o a.bin").err,
                  "kann: warning: a.bin: has no place for the shifts of images; .npz, .csv and .tsv have\n"));
  expect_refused(all + "-o a.mtx", 2,
                 "--images all: a matrix has one entry for all images of a point; write .npz or .csv");
}

/// Half of the pairs has one of each two of a point's own images; its shift has a first number that is positive.
TEST_F(RockSaltTest, OwnImagesAreInHalfOfThePairsOnce) {
  const std::string search = "--radius 5.7 -k all --images all -o o.csv --pairs ";
  const std::string half = written(search + "half", "o.csv"), both = written(search + "both", "o.csv");
  EXPECT_TRUE(ends(half, "7,0,7,5.64,0,0,1\n7,1,7,5.64,0,1,0\n7,2,7,5.64,1,0,0\n"));
  EXPECT_EQ(2 * (std::ranges::count(half, '\n') - 1), std::ranges::count(both, '\n') - 1);
}

/// A primitive cell of the same crystal: the box is slanted, and has two atoms.
TEST_F(RockSaltTest, ASlantedBoxIsTheSameCrystal) {
  write_file("cell.csv", "x,y,z\n0,0,0\n2.82,0,0\n");
  const std::string all = "--images all --periodic 0,2.82,2.82,2.82,0,2.82,2.82,2.82,0 ";
  EXPECT_TRUE(has(written(all + "--radius 2.9 -k all --stats"), "12               6\n"));
  succeeds(all + "-k 18 -o a.csv --verify");
  EXPECT_TRUE(has(read_file("a.csv"), "\n0,5,1,2.82,"));
  EXPECT_TRUE(has(read_file("a.csv"), "\n0,17,0,3.9880"));
}

TEST_F(RockSaltTest, RowsPastHalfOfTheBoxAreCounted) {
  const auto warning_of = [&](const std::string& more) {
    const std::string err = kann("--periodic 5.64,0,6 " + more).err;
    const std::size_t at = err.find("kann: warning: --periodic: ");
    return at == std::string::npos ? "" : err.substr(at + 27, err.find(':', at + 27) - at - 27);
  };
  EXPECT_EQ(warning_of("-k 3"), "");
  EXPECT_EQ(warning_of("-k 4"), "8 rows have neighbours farther than half of 5.64, after which the box repeats");
  EXPECT_EQ(warning_of("-k 4 --images all"), "");
  write_cloud("many.xyz", 60000, 1);
  const std::string many = "--data many.xyz --periodic 0,0,0.05 -k 100", in_memory = warning_of(many);
  EXPECT_TRUE(has(in_memory, " rows have neighbours farther than half of 0.05, "));
  EXPECT_EQ(warning_of(many + " --max-memory 40MB"), in_memory);
}

TEST_F(PeriodicTest, ChecksJudgeByTheSameDistances) {
  write_cloud("q.xyz", 200, 1);
  succeeds("--data q.xyz --periodic 1,1,1 -o box.npz --device cpu -k 5");
  succeeds("--data q.xyz --exact -o open.npz --device cpu -k 5");
  const std::string against = "--data q.xyz --periodic 1,1,1 -k 5 --min-recall 1 --force --device cpu --compare ";
  EXPECT_TRUE(has(succeeds(against + "box.npz").err, "200 identical"));
  EXPECT_FALSE(has(kann(against + "open.npz").err, "200 identical"));
}

TEST_F(PeriodicTest, NumbersAreRefusedByName) {
  for (const std::string text : {"1", "1,1,1,1", "0,0", "-1,1", "1e151,1"})
    EXPECT_TRUE(has(error_of("--data q.xyz --periodic " + text, 2),
                    "kann: error: --periodic expects LX,LY or LX,LY,LZ, each a positive number"));
  for (const std::string text : {"1,", "1,x", "inf,1", "nan,1", "", "1 ,1"})
    expect_refused("--data q.xyz --periodic '" + text + "'", 2,
                   "--periodic expects LX,LY or LX,LY,LZ or LX,LY,LZ,XY,XZ,YZ or nine numbers, between commas, got '" +
                       text + "'");
}

TEST_F(PeriodicTest, ThereIsASidePerCoordinate) {
  write_cloud("q.xyz", 20, 1);
  const Outcome o = kann("--data q.xyz --periodic 1,1 --device cpu");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.err,
            "kann: error: --periodic has 2 sides, but q.xyz has 3 coordinates per point (need a side for each)\n");
}

}  // namespace
}  // namespace kann::test
