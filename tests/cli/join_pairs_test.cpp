// --match, as a user runs it. tests/python/ compares pairs and tables with their definition.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "joins_fixture.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

TEST_F(JoinsTest, MutualPairs) {
  EXPECT_EQ(table({"--join", "inner", "--match", "mutual"}),
            k_header + std::string("a,0,1,2,0017,0,0,oak,12.50,0,1\nb,5,0.25,3,0018,5,0,\"elm, old\",,1,0.25\n"));
  EXPECT_EQ(table({"--match", "mutual", "--radius", "100"}),
            "query,rank,id,distance\n0,0,0,1\n1,0,1,0.25\n2,0,-1,inf\n3,0,-1,inf\n");
  const Outcome o =
      run({"--data", "trees.csv", "--match", "mutual", "--device", "cpu", "-o", "self.csv", "--report", "r.json"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("self.csv"), "query,rank,id,distance\n0,0,-1,inf\n1,0,2,1\n2,0,1,1\n");
  EXPECT_NE(o.err.find("; 2 pairs of 2 queries, 1 query without one\n"), std::string::npos) << o.err;
  const json report = json::parse(read_file("r.json"));
  EXPECT_EQ(report["join"], (json{{"queries", "left"}, {"pairs", 2}, {"queries_with_pair", 2}}));
  EXPECT_EQ(report["match"], "mutual");
}

TEST_F(JoinsTest, OneToOnePairs) {
  const std::string expected = "query,rank,id,distance\n0,0,0,1\n1,0,1,0.25\n2,0,-1,inf\n3,0,2,4.1231055\n";
  EXPECT_EQ(table({"--match", "one-to-one", "--radius", "9"}), expected);
  EXPECT_EQ(table({"--match", "one-to-one", "--radius", "9", "-k", "all"}), expected);
  const Outcome cut = join({"--match", "one-to-one", "-k", "1", "--radius", "9", "-o", "cut.csv"});
  EXPECT_NE(cut.err.find(
                "kann: warning: --match one-to-one: 1 of 4 queries have lost their 1 nearest neighbour to others, and "
                "may have a pair with one farther away; give --k all, or a larger --k\n"),
            std::string::npos)
      << cut.err;
  EXPECT_EQ(read_file("cut.csv"), "query,rank,id,distance\n0,0,0,1\n1,0,1,0.25\n2,0,-1,inf\n3,0,-1,inf\n");
  EXPECT_NE(join({"--match", "one-to-one", "-k", "1", "-o", "cut.csv"})
                .err.find("give --k all --radius R, or a larger --k\n"),
            std::string::npos);
}

TEST_F(JoinsTest, PairsAtDistancesThatFloat32LosesAreWarnedOf) {
  for (const char* const far : {"1e39", "1e-50"})
    for (const std::vector<std::string>& rows : {std::vector<std::string>{"-k", "2"}, {"-k", "all", "--radius", far}}) {
      const std::string x(far);
      write_file("a.csv", "x,y\n0,0\n0," + x + "\n");
      write_file("b.csv", "x,y\n" + x + "," + x + "\n" + x + ",0\n");
      std::vector<std::string> arguments{"--data", "a.csv",    "--query", "b.csv",    "--match", "one-to-one",
                                         "-o",     "lost.csv", "--force", "--device", "cpu"};
      arguments.insert(arguments.end(), rows.begin(), rows.end());
      const std::string err = run(arguments).err;
      EXPECT_NE(err.find("--match one-to-one: float32 holds none of the distances, which are written as 0 or inf"),
                std::string::npos)
          << err;
      arguments[3] = "a.csv";  // the same places
      EXPECT_EQ(run(arguments).err.find("float32 holds none"), std::string::npos);
    }
}

TEST_F(JoinsTest, ListsOfOneToOneHaveToFitInMemory) {
  std::string lines = "x,y\n";
  for (int i = 0; i < 2000; ++i) lines += "1,1\n";
  write_file("same.csv", lines);
  const std::vector<std::string> arguments = {"--data", "same.csv", "--query", "same.csv",  "--device",
                                              "cpu",    "-k",       "all",     "--radius",  "1",
                                              "-o",     "o.csv",    "--match", "one-to-one"};
  std::vector<std::string> little = arguments;
  little.insert(little.end(), {"--max-memory", "20MB"});
  const Outcome refused = run(little);
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_NE(refused.err.find(
                "kann: error: --match one-to-one: 4000000 neighbours within 1 do not fit in memory together; take a "
                "smaller --radius, or --k N\n"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(run(arguments).exit_code, 0);
  EXPECT_TRUE(read_file("o.csv").ends_with("\n1999,0,1999,0\n"));
}

TEST_F(JoinsTest, PairsAreNoReference) {
  EXPECT_EQ(join({"--match", "mutual", "-o", "pairs.npz"}).exit_code, 0);
  const Outcome o = join({"-k", "1", "-o", "o.npz", "--compare", "pairs.npz"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_EQ(o.err, "kann: error: pairs.npz: has the pairs of --match, not all neighbours\n");
}

}  // namespace
}  // namespace kann::test
