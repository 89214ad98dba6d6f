// --grid, as a user runs it.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "batch/batch_fixture.hpp"

namespace kann::test {
namespace {

using Words = std::vector<std::string>;

/// Rows of numbers below a header.
std::vector<std::vector<double>> grid_rows(const std::string& text) {
  std::istringstream lines(text);
  std::string line, cell;
  std::vector<std::vector<double>> rows;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    rows.emplace_back();
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

class GridTest : public BatchTest {
 protected:
  GridTest() {
    // A slope, at five places: west and east, south and north of the axes
    std::string data = "x,y,z\n";
    for (const auto& [x, y] : {std::pair{-1.5, -2.5}, {3.2, -2.5}, {-1.5, 2.1}, {3.2, 2.1}, {0.1, 0.2}})
      data += std::to_string(x) + ',' + std::to_string(y) + ',' + std::to_string(10 + 2 * x - y) + '\n';
    write_file("scan.csv", data);
  }
  Outcome kann(Words more) const {
    more.insert(more.begin(), {"--data", "scan.csv", "--columns", "x,y", "--device", "cpu", "-k", "4", "--exact"});
    return run(more);
  }
  std::string error_of(const Words& more, int code) const {
    const Outcome o = kann(more);
    EXPECT_EQ(o.exit_code, code) << o.err;
    return o.err;
  }
};

TEST_F(GridTest, CellsRunAsThoseOfRasters) {
  const Outcome o = kann({"--grid", "2", "-o", "dem.csv", "--output-format", "cloud-csv", "--transfer", "z", "--by",
                          "rbf", "--report", "r.json"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "dem.csv\n");
  EXPECT_NE(o.err.find("kann: 12 queries x 4 neighbours among 5 points, 2-D (x, y), on CPU"), std::string::npos)
      << o.err;
  const auto rows = grid_rows(read_file("dem.csv"));
  ASSERT_EQ(rows.size(), 12u);
  for (int row = 0, i = 0; row < 4; ++row)
    for (int column = 0; column < 3; ++column, ++i) {
      EXPECT_EQ(rows[i][0], 2 * column - 1) << i;
      EXPECT_EQ(rows[i][1], 3 - 2 * row) << i;
    }
  const Json report = Json::parse(read_file("r.json"));
  EXPECT_EQ(report["grid"], (Json{{"step", 2}, {"shape", {4, 3}}, {"origin", {-2, 4}}}));
  EXPECT_EQ(report["self_query"], false);
  EXPECT_EQ(report["query"]["points"], 12);
  EXPECT_EQ(report["query"]["path"], "scan.csv");
}

/// As a file of the same cells would be searched; what is told of queries is told of cells.
TEST_F(GridTest, IsASearchOfItsCells) {
  EXPECT_EQ(kann({"--grid", ".5", "--radius", "1", "-o", "cells.csv", "--output-format", "cloud-csv"}).exit_code, 0);
  const auto of_grid = kann({"--grid", ".5", "--radius", "1", "-o", "a.csv", "--verify"});
  const auto of_file = kann({"--query", "cells.csv", "--radius", "1", "-o", "b.csv"});
  EXPECT_EQ(of_grid.exit_code + of_file.exit_code, 0) << of_grid.err << of_file.err;
  EXPECT_EQ(read_file("a.csv"), read_file("b.csv"));
  EXPECT_GT(read_file("a.csv").size(), 500u);
  EXPECT_NE(of_grid.err.find("100 of 100 queries against exact rows"), std::string::npos) << of_grid.err;
}

TEST_F(GridTest, ACellIsACubeIn3D) {
  const Outcome o = run({"--data", "scan.csv", "--grid", "4", "--device", "cpu", "-k1", "-o", "c.csv",
                         "--output-format", "cloud-csv", "--report", "r.json"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const Json grid = Json::parse(read_file("r.json"))["grid"];
  EXPECT_EQ(grid["shape"], (Json{4, 2, 2}));
  EXPECT_EQ(grid["origin"], (Json{-4, 4, 4}));
  const auto rows = grid_rows(read_file("c.csv"));
  ASSERT_EQ(rows.size(), 16u);
  EXPECT_EQ((std::vector<double>(rows[0].begin(), rows[0].begin() + 3)), (std::vector<double>{-2, 2, 6}));
  EXPECT_EQ((std::vector<double>(rows[5].begin(), rows[5].begin() + 3)), (std::vector<double>{2, 2, 10}));
}

TEST_F(GridTest, NpzHasWhatPlacesTheCells) {
  EXPECT_EQ(kann({"--grid", "2", "-o", "dem.npz"}).exit_code, 0);
  const std::string bytes = read_file("dem.npz");
  for (const char* const name : {"grid_shape.npy", "grid_origin.npy", "grid_step.npy"})
    EXPECT_NE(bytes.find(name), std::string::npos) << name;
  EXPECT_NE(bytes.find("{'descr': '<f8', 'fortran_order': False, 'shape': (), }"), std::string::npos);
  EXPECT_EQ(kann({"-o", "self.npz"}).exit_code, 0);
  EXPECT_EQ(read_file("self.npz").find("grid_"), std::string::npos);
}

TEST_F(GridTest, DrawsWhatIsTransferred) {
  EXPECT_EQ(kann({"--grid", ".5", "--transfer", "z", "--picture", "p.png", "--picture-by", "z"}).out, "p.png\n");
  EXPECT_EQ(error_of({"--grid", ".5", "--picture", "q.png", "--picture-by", "z"}, 2),
            "kann: error: --picture-by z: the cells of --grid have no attributes of their own; give --transfer z\n");
  EXPECT_EQ(error_of({"--grid", ".5", "--picture", "q.png", "--picture-by", "rgb"}, 2),
            "kann: error: --picture-by rgb: the cells of --grid have no attributes of their own; give --transfer "
            "red,green,blue\n");
}

TEST_F(GridTest, OutliersAreCellsFarFromTheData) {
  const Words far = {"--grid", ".5", "--outliers", "1,1", "-o", "o.csv", "--output-format", "cloud-csv", "--force"};
  EXPECT_EQ(kann(far).exit_code, 0);
  Words dropped = far;
  dropped.insert(dropped.end(), {"--keep", "outlier = 0"});
  const auto all = grid_rows(read_file("o.csv"));
  EXPECT_EQ(kann(dropped).exit_code, 0);
  const auto near = grid_rows(read_file("o.csv"));
  EXPECT_LT(near.size(), all.size());
  EXPECT_GT(near.size(), all.size() / 2);
}

/// Heights of cells without neighbours are NaN, which LAS has not; the warning says how to leave them out.
TEST_F(GridTest, CellsWithoutNeighboursMayBeLeftOutOfLas) {
  const Words las = {"--grid", ".5", "--radius", "1", "--transfer", "z", "-o", "dem.las"};
  const std::string error = error_of(las, 3);
  EXPECT_NE(error.find("z is nan, which LAS cannot hold"), std::string::npos) << error;
  EXPECT_NE(error.find("NaN, or 0 in whole numbers; --keep 'neighbours > 0' leaves them out\n"), std::string::npos)
      << error;
  Words dropped = las;
  dropped.insert(dropped.end(), {"--keep", "neighbours > 0", "--report", "r.json"});
  EXPECT_EQ(error_of(dropped, 0).find("leaves them out"), std::string::npos);
  const Json report = Json::parse(read_file("r.json"));
  const auto cells = report["query"]["points"].get<int>(), left = report["keep"]["points"].get<int>();
  EXPECT_EQ(report["transfer"]["without_neighbors"], cells - left) << "and no others";
  EXPECT_LT(left, cells);
}

TEST_F(GridTest, DataWithoutPointsHaveNoCells) {
  write_file("none.csv", "x,y\n");
  const Outcome o = run({"--data", "none.csv", "--grid", "1", "--device", "cpu", "--report", "r.json"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "none.knn.npz\n");
  EXPECT_EQ(Json::parse(read_file("r.json"))["grid"]["shape"], (Json{0, 0}));
}

TEST_F(GridTest, PointsThatAreSkippedDoNotCount) {
  write_file("nan.csv", "x,y\n0.5,0.5\nnan,90\n1.5,0.5\n");
  EXPECT_EQ(run({"--data", "nan.csv", "--grid", "1", "--device", "cpu"}).exit_code, 3);
  const Outcome o = run({"--data", "nan.csv", "--grid", "1", "--device", "cpu", "--invalid", "skip", "-k1"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_NE(o.err.find("kann: 2 queries x 1 neighbour among 3 points (1 point and 0 queries skipped"),
            std::string::npos)
      << o.err;
}

TEST_F(GridTest, SaysWhichStepIsTooSmall) {
  EXPECT_EQ(
      error_of({"--grid", "1e-5"}, 2),
      "kann: error: scan.csv: --grid: a grid of step 1e-05 has 470001 x 460001 = 216200930001 cells, and a search "
      "takes 2147483647; take a larger step\n");
  const Outcome cubes = run({"--data", "scan.csv", "--grid", "1e-5", "--device", "cpu"});
  EXPECT_EQ(cubes.exit_code, 2);
  EXPECT_NE(cubes.err.find("take a larger step; --columns x,y makes squares of its cubes\n"), std::string::npos)
      << cubes.err;
  write_file("point.csv", "x,y\n5000000,0\n");
  EXPECT_EQ(
      run({"--data", "point.csv", "--grid", "1e-8", "--device", "cpu"}).err,
      "kann: error: point.csv: --grid: a grid of step 1e-08 is too fine for coordinates of 5e+06: float64 does not "
      "tell its cells apart; take a step of 6.3e-07 or more\n");
  EXPECT_EQ(files().size(), 6u) << "no result";
}

/// With their search and its result, before anything is allocated for them.
TEST_F(GridTest, CellsThatMemoryDoesNotHoldAreMadeInPieces) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer needs more address space";
  const std::vector<std::string> more = {"--columns", "x,y", "--grid",   "1e-3", "--device", "cpu",
                                         "--threads", "1",   "--radius", "0",    "-k",       "8"};
  const auto kann = [&](std::vector<std::string> data, const std::string& stdin_text) {
    data.insert(data.end(), more.begin(), more.end());
    data.insert(data.end(), {"-o", "grid.npz"});
    return run(data, {.stdin_text = stdin_text, .address_space = std::uint64_t{2} << 30});
  };
  // A stream cannot be read again. The centres alone, of 0.35 GB, would fit
  const Outcome o = kann({"--data", "-", "--data-format", "csv"}, read_file("scan.csv"));
  EXPECT_EQ(o.exit_code, 4) << o.err;
  EXPECT_TRUE(
      o.err.starts_with("kann: error: stdin: --grid: host memory: a search of the 21629301 cells of the grid needs "))
      << o.err;
  EXPECT_TRUE(o.err.ends_with(" GB are available; take a larger step\n")) << o.err;

  const Outcome in_pieces = kann({"--data", "scan.csv"}, "");
  EXPECT_EQ(in_pieces.exit_code, 0) << in_pieces.err;
  EXPECT_NE(in_pieces.err.find(" pieces: "), std::string::npos) << in_pieces.err;
}

/// Which is a fault of the option, not of the data.
TEST_F(GridTest, SaysWhichStepIsTooLarge) {
  for (const std::string step : {"1e154", "1e200", "1e300"})
    EXPECT_TRUE(error_of({"--grid", step}, 2).ends_with("take a smaller step\n")) << step;
  EXPECT_EQ(error_of({"--grid", "5e-324"}, 2),
            "kann: error: scan.csv: --grid: the step of a grid is 2.3e-308 or more, below which float64 has fewer "
            "digits (got 5e-324)\n");
}

TEST_F(GridTest, WhatItDoesNotChangeIsSaid) {
  EXPECT_EQ(error_of({"--grid", "1", "--include-self"}, 0)
                .find("kann: warning: --include-self changes nothing with --grid\n"),
            0u);
}

TEST_F(GridTest, AnEarlierResultIsOfTheSameGrid) {
  EXPECT_EQ(kann({"--grid", "2", "-o", "old.npz"}).exit_code, 0);
  EXPECT_EQ(kann({"--grid", "2", "--compare", "old.npz", "--min-recall", "1"}).exit_code, 0);
  EXPECT_EQ(error_of({"--grid", "2.1", "--compare", "old.npz", "-o", "n.npz"}, 3),
            "kann: error: old.npz: a result over another grid (got step 2 from -2,4, need 2.1 from -2.1,4.2)\n");
}

/// A job has the cells over its own data, and the bytes of one call alone.
TEST_F(GridTest, EachJobHasItsOwnGrid) {
  write_file("jobs.tsv", "a.xyz\nb.xyz\t\tb.npz\n");
  for (const Words& more : {Words{}, Words{"--data", "m.xyz"}}) {
    Words words = {"--jobs", "jobs.tsv", "--grid", ".5", "-o", "{stem}.npz", "--force", "--report", "r.jsonl"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome o = batch(words);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(sorted(o.out), "a.npz\nb.npz\n");
    EXPECT_EQ(read_file("a.npz"), alone("a.xyz", "", {"--grid", ".5"}));
    EXPECT_EQ(read_file("b.npz"), alone("b.xyz", "", {"--grid", ".5"}));
    for (const Json& report : lines_of(read_file("r.jsonl"))) EXPECT_EQ(report["grid"]["step"], .5);
  }
  write_file("jobs.tsv", "m.xyz\ta.xyz\n");
  const Outcome refused = batch({"--jobs", "jobs.tsv", "--grid", ".5"});
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_NE(refused.err.find("jobs.tsv:1: names queries, and those of --grid are the cells of a grid\n"),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace kann::test
