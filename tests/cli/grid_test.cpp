// --grid, as a user runs it.
#include <cmath>

#include "answers_fixture.hpp"
#include "batch/batch_fixture.hpp"

namespace kann::test {
namespace {

class GridTest : public BatchTest {
 protected:
  GridTest() : BatchTest("--data scan.csv --columns x,y --device cpu -k 4") {
    // A slope, at five places: west and east, south and north of the axes
    std::string data = "x,y,z\n";
    for (const auto& [x, y] : {std::pair{-1.5, -2.5}, {3.2, -2.5}, {-1.5, 2.1}, {3.2, 2.1}, {0.1, 0.2}})
      data += std::to_string(x) + ',' + std::to_string(y) + ',' + std::to_string(10 + 2 * x - y) + '\n';
    write_file("scan.csv", data);
  }
};

TEST_F(GridTest, CellsRunAsThoseOfRasters) {
  const Outcome o = succeeds("--grid 2 -o dem.csv --output-format cloud-csv --transfer z --by rbf --report r.json");
  EXPECT_EQ(o.out, "dem.csv\n");
  EXPECT_TRUE(has(o.err, "kann: 12 queries x 4 neighbours among 5 points, 2-D (x, y), on CPU"));
  const Table cells = table_of(read_file("dem.csv"));
  ASSERT_EQ(cells.at("x").size(), 12u);
  for (int row = 0, i = 0; row < 4; ++row)
    for (int column = 0; column < 3; ++column, ++i) {
      EXPECT_EQ(cells.at("x")[i], 2 * column - 1) << i;
      EXPECT_EQ(cells.at("y")[i], 3 - 2 * row) << i;
    }
  const json report = json_of("r.json");
  EXPECT_EQ(report["grid"], (json{{"step", 2}, {"shape", {4, 3}}, {"origin", {-2, 4}}}));
  EXPECT_EQ(report["self_query"], false);
  EXPECT_EQ(report["query"]["points"], 12);
  EXPECT_EQ(report["query"]["path"], "scan.csv");
}

/// As a file of the same cells would be searched; what is told of queries is told of cells.
TEST_F(GridTest, IsASearchOfItsCells) {
  succeeds("--grid .5 --radius 1 -o cells.csv --output-format cloud-csv");
  const Outcome of_grid = succeeds("--grid .5 --radius 1 -o a.csv --verify");
  EXPECT_EQ(written("--query cells.csv --radius 1 -o b.csv", "b.csv"), read_file("a.csv"));
  EXPECT_GT(read_file("a.csv").size(), 500u);
  EXPECT_TRUE(has(of_grid.err, "100 of 100 queries against exact rows"));
}

TEST_F(GridTest, ACellIsACubeIn3D) {
  succeeds("--columns x,y,z --grid 4 -k1 -o c.csv --output-format cloud-csv --report r.json");
  const json grid = json_of("r.json")["grid"];
  EXPECT_EQ(grid["shape"], (json{4, 2, 2}));
  EXPECT_EQ(grid["origin"], (json{-4, 4, 4}));
  const Table cells = table_of(read_file("c.csv"));
  const auto center = [&](std::size_t i) { return json{cells.at("x")[i], cells.at("y")[i], cells.at("z")[i]}; };
  ASSERT_EQ(cells.at("x").size(), 16u);
  EXPECT_EQ(center(0), (json{-2, 2, 6}));
  EXPECT_EQ(center(5), (json{2, 2, 10}));
}

TEST_F(GridTest, NpzHasWhatPlacesTheCells) {
  succeeds("--grid 2 -o dem.npz");
  const std::string bytes = read_file("dem.npz");
  for (const char* const name : {"grid_shape.npy", "grid_origin.npy", "grid_step.npy"})
    EXPECT_TRUE(has(bytes, name)) << name;
  EXPECT_TRUE(has(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"));
  succeeds("-o self.npz");
  EXPECT_FALSE(has(read_file("self.npz"), "grid_"));
}

TEST_F(GridTest, DrawsWhatIsTransferred) {
  EXPECT_EQ(kann("--grid .5 --transfer z --picture p.png --picture-by z").out, "p.png\n");
  for (const auto& [by, names] : {std::pair<std::string, std::string>{"z", "z"}, {"rgb", "red,green,blue"}})
    expect_refused(
        "--grid .5 --picture q.png --picture-by " + by, 2,
        "--picture-by " + by + ": the cells of --grid have no attributes of their own; give --transfer " + names);
}

TEST_F(GridTest, OutliersAreCellsFarFromTheData) {
  const std::string far = "--grid .5 --outliers 1,1 -o o.csv --output-format cloud-csv --force";
  const auto all = table_of(written(far, "o.csv")).at("x");
  const auto near = table_of(written(far + " --keep 'outlier = 0'", "o.csv")).at("x");
  EXPECT_LT(near.size(), all.size());
  EXPECT_GT(near.size(), all.size() / 2);
}

/// Heights of cells without neighbours are NaN, which LAS has not; the warning says how to leave them out.
TEST_F(GridTest, CellsWithoutNeighboursMayBeLeftOutOfLas) {
  const std::string las = "--grid .5 --radius 1 --transfer z -o dem.las";
  const std::string error = error_of(las, 3);
  EXPECT_TRUE(has(error, "z is nan, which LAS cannot hold"));
  EXPECT_TRUE(has(error, "NaN, or 0 in whole numbers; --keep 'neighbours > 0' leaves them out\n"));
  EXPECT_FALSE(has(succeeds(las + " --keep 'neighbours > 0' --report r.json").err, "leaves them out"));
  const json report = json_of("r.json");
  const auto cells = report["query"]["points"].get<int>(), left = report["keep"]["points"].get<int>();
  EXPECT_EQ(report["transfer"]["without_neighbors"], cells - left) << "and no others";
  EXPECT_LT(left, cells);
}

TEST_F(GridTest, DataWithoutPointsHaveNoCells) {
  write_file("none.csv", "x,y\n");
  EXPECT_EQ(succeeds("--data none.csv --grid 1 --report r.json").out, "none.knn.npz\n");
  EXPECT_EQ(json_of("r.json")["grid"]["shape"], (json{0, 0}));
}

TEST_F(GridTest, PointsThatAreSkippedDoNotCount) {
  write_file("nan.csv", "x,y\n0.5,0.5\nnan,90\n1.5,0.5\n");
  EXPECT_EQ(kann("--data nan.csv --grid 1").exit_code, 3);
  EXPECT_TRUE(has(succeeds("--data nan.csv --grid 1 --invalid skip -k1").err,
                  "kann: 2 queries x 1 neighbour among 3 points (1 point and 0 queries skipped"));
}

TEST_F(GridTest, SaysWhichStepIsTooSmall) {
  expect_refused("--grid 1e-5", 2,
                 "scan.csv: --grid: a grid of step 1e-05 has 470001 x 460001 = 216200930001 cells, and a search takes "
                 "2147483647; take a larger step");
  EXPECT_TRUE(has(run("--data scan.csv --grid 1e-5 --device cpu").err,
                  "take a larger step; --columns x,y makes squares of its cubes\n"));
  write_file("point.csv", "x,y\n5000000,0\n");
  expect_refused("--data point.csv --grid 1e-8", 2,
                 "point.csv: --grid: a grid of step 1e-08 is too fine for coordinates of 5e+06: float64 does not tell "
                 "its cells apart; take a step of 6.3e-07 or more");
}

/// With their search and its result, before anything is allocated for them.
TEST_F(GridTest, CellsThatMemoryDoesNotHoldAreMadeInPieces) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer needs more address space";
  const std::string search = "--columns x,y --grid 1e-3 --device cpu --threads 1 --radius 0 -k 8 -o grid.npz --data ";
  const Settings settings{.stdin_text = read_file("scan.csv"), .address_space = std::uint64_t{2} << 30};
  // A stream cannot be read again. The centres alone, of 0.35 GB, would fit
  const Outcome o = run(search + "- --data-format csv", settings);
  EXPECT_EQ(o.exit_code, 4) << o.err;
  EXPECT_TRUE(
      begins(o.err, "kann: error: stdin: --grid: host memory: a search of the 21629301 cells of the grid needs "));
  EXPECT_TRUE(ends(o.err, " are available; take a larger step\n"));

  const Outcome in_pieces = run(search + "scan.csv", settings);
  EXPECT_EQ(in_pieces.exit_code, 0) << in_pieces.err;
  EXPECT_TRUE(has(in_pieces.err, " pieces: "));
}

/// Which is a fault of the option, not of the data.
TEST_F(GridTest, SaysWhichStepIsTooLarge) {
  for (const std::string step : {"1e154", "1e200", "1e300"})
    EXPECT_TRUE(ends(error_of("--grid " + step, 2), "take a smaller step\n")) << step;
  expect_refused("--grid 5e-324", 2,
                 "scan.csv: --grid: the step of a grid is 2.3e-308 or more, below which float64 has fewer digits (got "
                 "5e-324)");
}

TEST_F(GridTest, WhatItDoesNotChangeIsSaid) {
  EXPECT_TRUE(
      begins(succeeds("--grid 1 --include-self").err, "kann: warning: --include-self changes nothing with --grid\n"));
}

TEST_F(GridTest, AnEarlierResultIsOfTheSameGrid) {
  succeeds("--grid 2 -o old.npz");
  succeeds("--grid 2 --compare old.npz --min-recall 1");
  expect_refused("--grid 2.1 --compare old.npz -o n.npz", 3,
                 "old.npz: a result over another grid (got step 2 from -2,4, need 2.1 from -2.1,4.2)");
}

/// A job has the cells over its own data, and the bytes of one call alone.
TEST_F(GridTest, EachJobHasItsOwnGrid) {
  write_file("jobs.tsv", "a.xyz\nb.xyz\t\tb.npz\n");
  const std::string batch = "--device cpu -k 3 --jobs jobs.tsv --grid .5 ";
  for (const std::string more : {"", "--data m.xyz"}) {
    const Outcome o = run(batch + "-o {stem}.npz --force --report r.jsonl " + more);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(sorted(o.out), "a.npz\nb.npz\n");
    for (const std::string name : {"a", "b"}) {
      EXPECT_EQ(run(name + ".xyz --device cpu -k 3 --grid .5 -o alone.npz --force").exit_code, 0);
      EXPECT_EQ(read_file(name + ".npz"), read_file("alone.npz"));
    }
    for (const json& report : lines_of(read_file("r.jsonl"))) EXPECT_EQ(report["grid"]["step"], .5);
  }
  write_file("jobs.tsv", "m.xyz\ta.xyz\n");
  const Outcome refused = run(batch);
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_TRUE(has(refused.err, "jobs.tsv:1: names queries, and those of --grid are the cells of a grid\n"));
}

}  // namespace
}  // namespace kann::test
