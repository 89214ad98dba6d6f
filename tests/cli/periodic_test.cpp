// --periodic, as a user runs it.
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
TEST_F(PeriodicTest, ABoxThatHasOtherImagesInReachIsWarnedOf) {
  std::string atoms = "x,y,z\n";
  for (int i = 0; i < 8; ++i) atoms += fmt::format("{},{},{}\n", 2.82 * (i % 2), 2.82 * (i / 2 % 2), 2.82 * (i / 4));
  write_file("cell.csv", atoms);
  const auto warning_of = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--data", "cell.csv", "--periodic", "5.64,0,6", "--device", "cpu", "--force"});
    const Outcome o = run(more);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    const std::size_t at = o.err.find("kann: warning: --periodic: a side of 5.64 is shorter than twice the ");
    return at == std::string::npos ? "" : o.err.substr(at + 68, o.err.find(';', at) - at - 68);
  };
  EXPECT_EQ(warning_of({"--radius", "2.9", "-k", "all", "--stats"}), "radius (2.9)");
  EXPECT_EQ(warning_of({"--radius", "2.9", "-k", "2"}), "radius (2.9)");
  EXPECT_EQ(warning_of({"--radius", "2.9", "-k", "all", "--group", "x"}), "radius (2.9)");
  EXPECT_EQ(warning_of({"-k", "3"}), "");
  EXPECT_EQ(warning_of({"-k", "4"}), "distance of the farthest neighbour (3.98808)");
  write_cloud("many.xyz", 60000, 1);
  std::vector<std::string> arguments{"--data", "many.xyz", "--periodic", "0,0,0.1", "-k",
                                     "100",    "--device", "cpu",        "--force"};
  const auto warning = [&] {
    const std::string err = run(arguments).err;
    return err.substr(0, err.find('\n'));
  };
  const std::string in_memory = warning();
  EXPECT_NE(in_memory.find("a side of 0.1 is shorter"), std::string::npos);
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

TEST_F(PeriodicTest, SidesAreRefusedByName) {
  for (const char* text : {"1", "1,1,1,1", "0,0", "-1,1", "1,", "1,x", "inf,1", "nan,1", "", "1 ,1", "1e151,1"}) {
    const Outcome o = run({"--data", "q.xyz", "--periodic", text});
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_EQ(o.err,
              std::string("kann: error: --periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 "
                          "or 0, not all 0, got '") +
                  text + "'\n");
  }
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
