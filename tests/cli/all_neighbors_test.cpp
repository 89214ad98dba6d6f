// --k all, as a user runs it: every neighbour within the radius.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

class AllNeighborsTest : public ProgramTest {
 protected:
  AllNeighborsTest() {
    write_file("line.csv", "x,y\n0,0\n1,0\n3,0\n0,2\n1,0\n");
    write_file("q.csv", "x,y\n0,0\n9,9\n");
  }

  Outcome run_all(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"--k", "all", "--device", "cpu", "--data", "line.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  void expect_refused(const std::vector<std::string>& more, int code, const std::string& message) const {
    const Outcome o = run_all(more);
    EXPECT_EQ(o.exit_code, code) << o.err;
    EXPECT_EQ(o.err, "kann: error: " + message + "\n");
    EXPECT_EQ(o.out, "");
  }
};

TEST_F(AllNeighborsTest, ListsThemAsText) {
  const Outcome o = run_all({"--query", "q.csv", "--radius", "2", "-o", "nn.csv", "--report", "r.json"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "nn.csv\n");
  EXPECT_EQ(read_file("nn.csv"), "query,rank,id,distance\n0,0,0,0\n0,1,1,1\n0,2,4,1\n0,3,3,2\n");
  EXPECT_NE(o.err.find("kann: 2 queries, 4 neighbours within 2 among 5 points, 2-D (x, y), on CPU"), std::string::npos)
      << o.err;
  const json report = json::parse(read_file("r.json"));
  EXPECT_EQ(report["k"], "all");
  EXPECT_EQ(report["pairs"], "both");
  EXPECT_EQ(report["method"], "exact");
  EXPECT_EQ(report["within_radius"], 4);
  EXPECT_EQ(run_all({"--query", "q.csv", "--radius", "2", "-o", "nn.tsv"}).exit_code, 0);
  EXPECT_EQ(read_file("nn.tsv"), "query\trank\tid\tdistance\n0\t0\t0\t0\n0\t1\t1\t1\n0\t2\t4\t1\n0\t3\t3\t2\n");
}

TEST_F(AllNeighborsTest, ListsThemAsAMatrix) {
  EXPECT_EQ(run_all({"--query", "q.csv", "--radius", "2", "-o", "nn.mtx"}).exit_code, 0);
  EXPECT_EQ(read_file("nn.mtx"), "%%MatrixMarket matrix coordinate real general\n2 5 4\n1 1 0\n1 2 1\n1 5 1\n1 4 2\n");
}

TEST_F(AllNeighborsTest, ListsAPairTwiceOrOnce) {
  EXPECT_EQ(run_all({"--radius", "1", "-o", "both.csv"}).exit_code, 0);
  EXPECT_EQ(read_file("both.csv"), "query,rank,id,distance\n0,0,1,1\n0,1,4,1\n1,0,4,0\n1,1,0,1\n4,0,1,0\n4,1,0,1\n");
  EXPECT_EQ(run_all({"--radius", "1", "--pairs", "half", "-o", "half.csv"}).exit_code, 0);
  EXPECT_EQ(read_file("half.csv"), "query,rank,id,distance\n0,0,1,1\n0,1,4,1\n1,0,4,0\n");
  EXPECT_EQ(run_all({"--radius", "0", "--include-self", "-o", "self.csv"}).exit_code, 0);
  EXPECT_EQ(read_file("self.csv"),
            "query,rank,id,distance\n0,0,0,0\n1,0,1,0\n1,1,4,0\n2,0,2,0\n3,0,3,0\n4,0,1,0\n4,1,4,0\n");
}

TEST_F(AllNeighborsTest, CountsThem) {
  const auto count = [&](std::vector<std::string> more) {
    more.push_back("--stats");
    return run_all(more);
  };
  const Outcome both = count({"--radius", "1"});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(both.out,
            "neighbours within 1: exact\n"
            "   queries  neighbours  mean per query\n"
            "         5           6             1.2\n");
  EXPECT_EQ(count_in(count({"--radius", "1", "--pairs", "half"})), "3");
  EXPECT_EQ(count_in(count({"--radius", "1", "--pairs", "half", "--periodic", "10,10"})), "3");
  EXPECT_EQ(count_in(count({"--radius", "1", "--pairs", "half", "--include-self"})), "3");
  EXPECT_EQ(count_in(count({"--query", "q.csv", "--radius", "1"})), "3");
  EXPECT_EQ(count_in(count({"--query", "q.csv", "--radius", "1e300"})), "10");
  EXPECT_EQ(json::parse(count({"--radius", "1", "--json"}).out)["within_radius"], 6);
  EXPECT_EQ(files(), (std::vector<std::string>{"line.csv", "q.csv"}));
}

/// A result or a picture is made as without --stats.
TEST_F(AllNeighborsTest, AreCountedBesideAResult) {
  EXPECT_EQ(run_all({"--radius", "1", "-o", "plain.csv"}).exit_code, 0);
  const Outcome o = run_all({"--radius", "1", "--stats", "-o", "counted.csv", "--picture", "counted.png"});
  EXPECT_EQ(o.out, "counted.csv\n");
  EXPECT_NE(o.err.find("kann: neighbours within 1: exact\n"), std::string::npos) << o.err;
  EXPECT_EQ(read_file("counted.csv"), read_file("plain.csv"));
  const Outcome drawn = run_all({"--radius", "1", "--stats", "--picture", "p.png"});
  EXPECT_EQ(count_in(drawn), "6");
  EXPECT_NE(drawn.err.find("kann: picture: p.png\n"), std::string::npos) << drawn.err;
  EXPECT_EQ(read_file("p.png"), read_file("counted.png"));
}

/// Pairs are rows of one neighbour, whose distances are measured as those of others.
TEST_F(AllNeighborsTest, PairsAmongThemHaveStatistics) {
  const Outcome o = run_all({"--radius", "1", "--match", "one-to-one", "--stats"});
  EXPECT_NE(o.out.find("\n   1        2     0          0    0       0    0    0    0\n"), std::string::npos)
      << o.out << o.err;
}

TEST_F(AllNeighborsTest, AreFoundInPeriodicBoxes) {
  EXPECT_EQ(run_all({"--radius", "1.5", "--periodic", "4,0", "-o", "nn.csv"}).exit_code, 0);
  // The point at 3 is 1 from that at 0, and 2 from those at 1
  EXPECT_EQ(read_file("nn.csv"),
            "query,rank,id,distance\n0,0,1,1\n0,1,2,1\n0,2,4,1\n1,0,4,0\n1,1,0,1\n2,0,0,1\n4,0,1,0\n4,1,0,1\n");
}

/// Neighbours that do not fit into --max-memory together: the same bytes, and what is said.
TEST_F(AllNeighborsTest, HaveTheSameBytesInLittleMemory) {
  write_cloud("cloud.xyz", 2000, 5);
  for (const std::string name : {"nn.npz", "nn.mtx"})
    for (const std::string pairs : {"both", "half"}) {
      const auto run_cloud = [&](const std::string& output, std::vector<std::string> more) {
        std::vector<std::string> arguments{"--k", "all", "--device", "cpu",     "--data", "cloud.xyz", "--radius",
                                           "0.5", "-o",  output,     "--pairs", pairs,    "--force"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome o = run(arguments);
        EXPECT_EQ(o.exit_code, 0) << o.err;
        return o.err;
      };
      run_cloud("whole." + name, {});
      const std::string messages = run_cloud("parts." + name, {"--max-memory", "20MB"});
      EXPECT_NE(messages.find("within 0.5 do not fit in memory together; they are searched again while they are "
                              "written\n"),
                std::string::npos)
          << messages;
      EXPECT_TRUE(read_file("whole." + name) == read_file("parts." + name)) << name << ' ' << pairs;
    }
}

TEST_F(AllNeighborsTest, RefusesWhatDoesNotGoTogether) {
  expect_refused({}, 2, "--k all needs --radius R");
  expect_refused({"--radius", "-1"}, 2, "--radius expects a finite number of at least 0, got '-1'");
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--verify"},
                                                {"--compare", "x.npz"},
                                                {"--by rbf", "--by", "rbf", "--transfer", "z"},
                                                {"--outliers", "8,2"},
                                                {"--output-per-rank"}}) {
    std::vector<std::string> arguments{"--radius", "1"};
    arguments.insert(arguments.end(), other.begin() + (other.size() > 2 ? 1 : 0), other.end());
    const Outcome o = run_all(arguments);
    EXPECT_EQ(o.exit_code, 2) << other[0];
    EXPECT_EQ(o.err,
              fmt::format("kann: error: --k all does not go with {}: all rows must have the same length; give --k "
                          "N\n",
                          other[0] == "--verify" ? "--verify and --min-recall" : other[0]));
  }
  expect_refused(
      {"--radius", "1", "-o", "nn.bin"}, 2,
      "nn.bin: has no place for rows of any length (--k all); write .npz, .csv, .tsv, .mtx or a cloud (.ply, "
      ".las)");
  expect_refused({"--radius", "1", "--pairs", "half", "--query", "q.csv"}, 2,
                 "--pairs half does not go with --query: only a search of the data among themselves has such pairs");
  const auto expect_needs_all = [&](const std::vector<std::string>& more, const std::string& message) {
    std::vector<std::string> arguments{"--data", "line.csv", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome o = run(arguments);
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_EQ(o.err, "kann: error: " + message + "\n");
  };
  expect_needs_all({"--pairs", "half"}, "--pairs half needs --k all");
  expect_needs_all({"-o", "nn.mtx"}, "nn.mtx: a matrix has rows of any length; give --k all --radius R");
  EXPECT_EQ(files(), (std::vector<std::string>{"line.csv", "q.csv"}));
}

/// Data or queries that do not fit into --max-memory: the same bytes, by tiles.
TEST_F(AllNeighborsTest, HaveTheSameBytesInTiles) {
  write_cloud("cloud.xyz", 60'000, 5);
  write_cloud("few.xyz", 500, 6);
  int runs = 0;
  for (const std::vector<std::string>& search :
       {std::vector<std::string>{"--data", "cloud.xyz", "--radius", ".03", "-o", "nn.npz"},
        {"--data", "cloud.xyz", "--radius", ".03", "-o", "nn.mtx", "--pairs", "half"},
        {"--data", "cloud.xyz", "--radius", ".03", "-o", "nn.npz", "--pairs", "half", "--periodic", "1,1,1"},
        {"--data", "few.xyz", "--query", "cloud.xyz", "--radius", ".1", "-o", "nn.csv"},
        {"--data", "cloud.xyz", "--query", "few.xyz", "--radius", ".1", "-o", "nn.tsv", "--periodic", "1,0,1"},
        {"--data", "cloud.xyz", "--radius", ".03", "-o", "-", "--output-format", "npz"},
        {"--data", "cloud.xyz", "--radius", ".03", "--stats", "--pairs", "half"},
        {"--data", "cloud.xyz", "--radius", ".03", "--stats", "--periodic", "1,1,1"},
        {"--data", "few.xyz", "--grid", ".03", "--radius", ".05", "-o", "nn.npz"}}) {
    std::vector<std::string> arguments{"--k", "all", "--device", "cpu", "--force"};
    arguments.insert(arguments.end(), search.begin(), search.end());
    const auto made = [&](const Outcome& o) {
      EXPECT_EQ(o.exit_code, 0) << o.err;
      for (const std::string name : {"nn.npz", "nn.mtx", "nn.csv", "nn.tsv"})
        if (std::ranges::count(search, name)) return read_file(name);
      return o.out;
    };
    const std::string want = made(run(arguments));
    const std::string report_name = "r." + std::to_string(++runs) + ".json";
    arguments.insert(arguments.end(), {"--max-memory", "16MB", "--report", report_name});
    EXPECT_TRUE(made(run(arguments)) == want) << search[3] << ' ' << search.back();
    const json report = json::parse(read_file(report_name));
    ASSERT_TRUE(report["tiles"].is_object()) << search[3] << ' ' << search.back();
    EXPECT_LE(report["memory_peak_bytes"]["host"], 16e6);
    EXPECT_LE(report["tiles"]["charged_bytes"], 16e6);
  }
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
  const Outcome o = run({"--k", "all", "--radius", "2", "--data", "cloud.ply", "--device", "cpu", "-o", "nn.npz"});
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_NE(o.err.find("nn.npz: 3999998000000 neighbours within the radius need at least 32 TB, "), std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find(" are free; --stats without --output counts them\n"), std::string::npos) << o.err;
}

/// A batch: each query has its own file, or its own count.
TEST_F(AllNeighborsTest, AreFoundInBatches) {
  write_file("r.csv", "x,y\n1,0\n");
  const Outcome o = run_all({"--query", "q.csv", "--query", "r.csv", "--radius", "1", "-o", "{stem}.csv.csv"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("r.csv.csv"), "query,rank,id,distance\n0,0,1,0\n0,1,4,0\n0,2,0,1\n");
  const Outcome counted = run_all({"--query", "q.csv", "--query", "r.csv", "--radius", "1", "--stats"});
  for (const std::string name : {"q.csv", "r.csv"})
    EXPECT_NE(counted.out.find(name + "\nneighbours within 1: exact\n"), std::string::npos) << counted.out;
}

}  // namespace
}  // namespace kann::test
