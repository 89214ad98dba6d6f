// --radius, as a user runs it.
#include <nlohmann/json.hpp>
#include <string>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using RadiusTest = ProgramTest;
using nlohmann::json;

TEST_F(RadiusTest, RowsEndAtTheRadius) {
  write_file("pts.csv", "x,y\n0,0\n1,0\n3,0\n0,2\n");
  write_file("q.csv", "x,y\n0,0\n9,9\n");
  const Outcome o = run({"--data", "pts.csv", "--query", "q.csv", "-k", "3", "--radius", "2", "-o", "nn.csv",
                         "--device", "cpu", "--report", "r.json", "--verify"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("nn.csv"),
            "query,rank,id,distance\n0,0,0,0\n0,1,1,1\n0,2,3,2\n1,0,-1,inf\n1,1,-1,inf\n1,2,-1,inf\n");
  EXPECT_NE(o.err.find("; exact; 3 neighbours within 2; 1 query may have more than 3, which -k all finds\n"),
            std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find("recall 1.0000, mean distance ratio 1.0000, 2 all-correct, 2 identical"), std::string::npos);
  const json report = json::parse(read_file("r.json"));
  EXPECT_EQ(report["radius"], 2.0);
  EXPECT_EQ(report["within_radius"], 3);
  EXPECT_EQ(report["full_rows"], 1);
  EXPECT_EQ(report["warnings"], json::array());
}

/// A row is full if it has k neighbours; one that has all points is not cut off.
TEST_F(RadiusTest, SaysWhichRowsMayBeCutOff) {
  write_file("line.csv", "x,y\n0,0\n1,0\n2,0\n9,0\n");  // within 1: 1, 2, 1 and 0 others
  const auto summary = [&](const std::string& k) {
    const Outcome o = run({"--data", "line.csv", "-k", k, "--radius", "1", "-o", "nn.csv", "--force", "--device", "cpu",
                           "--report", "r.json"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return o.err.substr(o.err.find("; exact; ") + 9);
  };
  const auto full_rows = [&] { return json::parse(read_file("r.json"))["full_rows"]; };
  EXPECT_EQ(summary("1"), "3 neighbours within 1; 3 queries may have more than 1, which -k all finds\n");
  EXPECT_EQ(full_rows(), 3);
  EXPECT_EQ(summary("2"), "4 neighbours within 1; 1 query may have more than 2, which -k all finds\n");
  EXPECT_EQ(full_rows(), 1);
  EXPECT_EQ(summary("3"), "4 neighbours within 1\n");
  EXPECT_EQ(full_rows(), 0);
  const Outcome all = run({"--data", "line.csv", "-k", "4", "--include-self", "--radius", "100", "-o", "nn.csv",
                           "--force", "--device", "cpu", "--report", "r.json"});
  EXPECT_TRUE(all.err.ends_with("; 16 neighbours within 100\n")) << all.err;
  EXPECT_EQ(full_rows(), 4);
  EXPECT_EQ(run({"--data", "line.csv", "-o", "nn.csv", "--force", "--report", "r.json"}).exit_code, 0);
  EXPECT_FALSE(json::parse(read_file("r.json")).contains("full_rows"));
}

TEST_F(RadiusTest, IsInTheMetaOfTheResult) {
  const auto text_of = [&](const char* name) {  // which is in UTF-32
    std::string bytes = read_file(name);
    std::erase(bytes, '\0');
    return bytes;
  };
  write_cloud("q.xyz", 50, 1);
  EXPECT_EQ(run({"--data", "q.xyz", "--radius", "0.25", "--device", "cpu"}).exit_code, 0);
  EXPECT_NE(text_of("q.knn.npz").find("\"radius\":0.25"), std::string::npos);
  EXPECT_EQ(run({"--data", "q.xyz", "--device", "cpu", "--force"}).exit_code, 0);
  EXPECT_EQ(text_of("q.knn.npz").find("\"radius\""), std::string::npos);
}

TEST_F(RadiusTest, NothingWithinPassesNoCheck) {
  write_cloud("q.xyz", 50, 1);
  const std::vector<std::string> plain{"--data", "q.xyz", "--radius", "1e-300", "--device", "cpu", "--force"};
  std::vector<std::string> checked = plain;
  checked.insert(checked.end(), {"--min-recall", "0"});
  EXPECT_EQ(run(plain).exit_code, 0);
  const Outcome o = run(checked);
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_NE(o.err.find("--min-recall: nothing could be checked: no query has a point within --radius"),
            std::string::npos)
      << o.err;
}

TEST_F(RadiusTest, NoneTakesThatOfAConfigurationBack) {
  write_file("line.csv", "x,y\n0,0\n1,0\n2,0\n9,0\n");
  write_file("kann.toml", "radius = 1\n");
  const std::vector<std::string> all = {"--data",    "line.csv", "-k",     "1",      "--config",
                                        "kann.toml", "-o",       "nn.csv", "--force"};
  std::vector<std::string> none = all;
  none.insert(none.end(), {"--radius", "none"});
  EXPECT_NE(run(all).err.find("neighbours within 1"), std::string::npos);
  const Outcome o = run(none);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.err.find("within"), std::string::npos) << o.err;
}

TEST_F(RadiusTest, IsANumberOfAtLeastZero) {
  for (const char* text : {"-1", "nan", "inf", "one", "", "1e999", "0x1", "1,5", "-0"}) {
    const Outcome o = run({"--data", "q.xyz", "--radius", text});
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_EQ(o.err, std::string("kann: error: --radius expects a finite number of at least 0, got '") + text + "'\n");
  }
}

}  // namespace
}  // namespace kann::test
