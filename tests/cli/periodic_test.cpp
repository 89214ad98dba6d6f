// --periodic, as a user runs it.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using PeriodicTest = ProgramTest;
using nlohmann::json;

TEST_F(PeriodicTest, NeighboursAreAcrossTheFaces) {
  write_file("pts.csv", "x,y\n0.5,0\n9.5,0\n5,0\n5,9\n");
  const Outcome o = run({"--data", "pts.csv", "-k", "2", "--periodic", "10,10", "-o", "nn.csv", "--device", "cpu",
                         "--report", "r.json", "--verify"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("nn.csv"),
            "query,rank,id,distance\n0,0,1,1\n0,1,2,4.5\n1,0,0,1\n1,1,2,4.5\n2,0,3,1\n2,1,0,4.5\n3,0,2,1\n"
            "3,1,0,4.609772\n");
  EXPECT_NE(o.err.find("; exact, periodic 10,10\n"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("recall 1.0000, mean distance ratio 1.0000, 4 all-correct, 4 identical"), std::string::npos);
  const json report = json::parse(read_file("r.json"));
  EXPECT_EQ(report["periodic"], (json{10.0, 10.0}));
  EXPECT_EQ(report["method"], "exact");
}

/// The cell of rock salt: each atom has 6 neighbours of the other kind, two by two images of each other.
struct RockSaltTest : ProgramTest {
  RockSaltTest() {
    std::string atoms = "x,y,z,element\n";
    for (int i = 0; i < 8; ++i)
      atoms += fmt::format("{},{},{},{}\n", 2.82 * (i % 2), 2.82 * (i / 2 % 2), 2.82 * (i / 4),
                           (i % 2 + i / 2 % 2 + i / 4) % 2 ? "Cl" : "Na");
    write_file("cell.csv", atoms);
  }

  Outcome with(std::vector<std::string> more, const std::string& box = "5.64,5.64,5.64") {
    more.insert(more.end(), {"--data", "cell.csv", "--periodic", box, "--device", "cpu", "--force"});
    return run(more);
  }
  std::string out(const std::vector<std::string>& more, const std::string& box = "5.64,5.64,5.64") {
    const Outcome o = with(more, box);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return o.out;
  }
};

TEST_F(RockSaltTest, ARadiusPastHalfOfTheBoxIsRefused) {
  const auto error = [&](std::vector<std::string> more) {
    const Outcome o = with(std::move(more));
    EXPECT_EQ(o.exit_code, 2);
    return o.err;
  };
  const std::string message =
      "kann: error: --radius 2.9 needs a --periodic that repeats after more than twice that, got 5.64; take --images "
      "all, with which every image is a neighbour\n";
  EXPECT_EQ(error({"--radius", "2.9", "-k", "all", "--stats"}), message);
  EXPECT_EQ(error({"--radius", "2.9", "-k", "2"}), message);
  EXPECT_EQ(error({"--radius", "2.9", "-k", "all", "--group", "element"}), message);
  EXPECT_EQ(error({"--radius", "2.9", "-k", "3", "--features", "normals"}), message);
  EXPECT_EQ(error({"--radius", "2.9", "--join", "inner", "-o", "j.csv"}), message);
}

TEST_F(RockSaltTest, AllImagesAreBonds) {
  const std::vector<std::string> bonds{"--radius", "2.9", "-k", "all", "--images", "all"};
  const auto with_more = [&](std::vector<std::string> more) {
    more.insert(more.end(), bonds.begin(), bonds.end());
    return more;
  };
  EXPECT_NE(out(with_more({"--stats"})).find("\n         8          48               6\n"), std::string::npos);
  EXPECT_NE(out(with_more({"--stats", "--pairs", "half"})).find("24"), std::string::npos);
  out(with_more({"-o", "bonds.csv"}));
  EXPECT_EQ(read_file("bonds.csv").substr(0, 117),
            "query,rank,id,distance,shift_a,shift_b,shift_c\n0,0,1,2.82,-1,0,0\n0,1,1,2.82,0,0,0\n0,2,2,2.82,0,-1,0\n"
            "0,3,2,2.82,0,0,0\n");
  out({"--radius", "0.1", "-k", "all", "--images", "all", "-o", "none.csv"});
  EXPECT_EQ(read_file("none.csv"), "query,rank,id,distance,shift_a,shift_b,shift_c\n");
  out(with_more({"-o", "other.csv", "--other-group", "element"}));
  EXPECT_EQ(read_file("other.csv"), read_file("bonds.csv"));
  out({"-k", "6", "--images", "all", "-o", "nearest.csv", "--verify"});
  EXPECT_EQ(read_file("nearest.csv"), read_file("bonds.csv"));
  out({"-k", "6", "--images", "all", "--join", "inner", "-o", "join.csv"});
  EXPECT_EQ(
      read_file("join.csv").substr(0, 106),
      "query_x,query_y,query_z,query_element,data_x,data_y,data_z,data_element,nn_id,nn_distance,shift_a,shift_b,");
  out({"-k", "6", "--images", "all", "-o", "n.npz"});
  EXPECT_NE(run({"check", "n.npz"}).err.find("ids and distances are checked, shifts are not"), std::string::npos);
  EXPECT_NE(with({"-k", "6", "--images", "all", "-o", "a.bin"})
                .err.find("kann: warning: a.bin: has no place for the shifts of images; .npz, .csv and .tsv have\n"),
            std::string::npos);
  EXPECT_EQ(with(with_more({"-o", "a.mtx"})).err,
            "kann: error: --images all: a matrix has one entry for all images of a point; write .npz or .csv\n");
}

/// Half of the pairs has one of each two of a point's own images; its shift has a first number that is positive.
TEST_F(RockSaltTest, OwnImagesAreInHalfOfThePairsOnce) {
  out({"--radius", "5.7", "-k", "all", "--images", "all", "--pairs", "half", "-o", "half.csv"});
  const std::string half = read_file("half.csv");
  EXPECT_TRUE(half.ends_with("7,0,7,5.64,0,0,1\n7,1,7,5.64,0,1,0\n7,2,7,5.64,1,0,0\n")) << half;
  out({"--radius", "5.7", "-k", "all", "--images", "all", "-o", "both.csv"});
  const std::string both = read_file("both.csv");
  EXPECT_EQ(2 * (std::ranges::count(half, '\n') - 1), std::ranges::count(both, '\n') - 1);
}

/// A primitive cell of the same crystal: the box is slanted, and has two atoms.
TEST_F(RockSaltTest, ASlantedBoxIsTheSameCrystal) {
  write_file("cell.csv", "x,y,z\n0,0,0\n2.82,0,0\n");
  const std::string box = "0,2.82,2.82,2.82,0,2.82,2.82,2.82,0";
  EXPECT_NE(out({"--radius", "2.9", "-k", "all", "--images", "all", "--stats"}, box).find("12               6\n"),
            std::string::npos);
  out({"-k", "18", "--images", "all", "-o", "a.csv", "--verify"}, box);
  EXPECT_NE(read_file("a.csv").find("\n0,5,1,2.82,"), std::string::npos);
  EXPECT_NE(read_file("a.csv").find("\n0,17,0,3.9880"), std::string::npos);
}

TEST_F(RockSaltTest, RowsPastHalfOfTheBoxAreCounted) {
  const auto warning_of = [&](std::vector<std::string> more) {
    const std::string err = with(std::move(more), "5.64,0,6").err;
    const std::size_t at = err.find("kann: warning: --periodic: ");
    return at == std::string::npos ? "" : err.substr(at + 27, err.find(':', at + 27) - at - 27);
  };
  EXPECT_EQ(warning_of({"-k", "3"}), "");
  EXPECT_EQ(warning_of({"-k", "4"}), "8 rows have neighbours farther than half of 5.64, after which the box repeats");
  EXPECT_EQ(warning_of({"-k", "4", "--images", "all"}), "");
  write_cloud("many.xyz", 60000, 1);
  std::vector<std::string> arguments{"--data", "many.xyz", "--periodic", "0,0,0.05", "-k",
                                     "100",    "--device", "cpu",        "--force"};
  const auto warning = [&] {
    const std::string err = run(arguments).err;
    return err.substr(0, err.find('\n'));
  };
  const std::string in_memory = warning();
  EXPECT_NE(in_memory.find(" rows have neighbours farther than half of 0.05, "), std::string::npos) << in_memory;
  arguments.insert(arguments.end(), {"--max-memory", "40MB"});
  EXPECT_EQ(warning(), in_memory);
}

TEST_F(PeriodicTest, ChecksJudgeByTheSameDistances) {
  write_cloud("q.xyz", 200, 1);
  ASSERT_EQ(run({"--data", "q.xyz", "--periodic", "1,1,1", "-o", "box.npz", "--device", "cpu", "-k", "5"}).exit_code,
            0);
  ASSERT_EQ(run({"--data", "q.xyz", "--exact", "-o", "open.npz", "--device", "cpu", "-k", "5"}).exit_code, 0);
  const auto against = [&](const char* file) {
    return run({"--data", "q.xyz", "--periodic", "1,1,1", "-k", "5", "--compare", file, "--min-recall", "1", "--force",
                "--device", "cpu"});
  };
  const Outcome same = against("box.npz"), other = against("open.npz");
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_NE(same.err.find("200 identical"), std::string::npos) << same.err;
  EXPECT_EQ(other.err.find("200 identical"), std::string::npos) << other.err;
}

TEST_F(PeriodicTest, NumbersAreRefusedByName) {
  for (const char* text : {"1", "1,1,1,1", "0,0", "-1,1", "1e151,1"}) {
    const Outcome o = run({"--data", "q.xyz", "--periodic", text});
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_NE(o.err.find("kann: error: --periodic expects LX,LY or LX,LY,LZ, each a positive number"),
              std::string::npos)
        << o.err;
  }
  for (const char* text : {"1,", "1,x", "inf,1", "nan,1", "", "1 ,1"})
    EXPECT_EQ(run({"--data", "q.xyz", "--periodic", text}).err,
              std::string("kann: error: --periodic expects LX,LY or LX,LY,LZ or LX,LY,LZ,XY,XZ,YZ or nine numbers, "
                          "between commas, got '") +
                  text + "'\n");
}

TEST_F(PeriodicTest, ThereIsASidePerCoordinate) {
  write_cloud("q.xyz", 20, 1);
  const Outcome o = run({"--data", "q.xyz", "--periodic", "1,1", "--device", "cpu"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.err,
            "kann: error: --periodic has 2 sides, but q.xyz has 3 coordinates per point (need a side for each)\n");
}

}  // namespace
}  // namespace kann::test
