// --features and --orient, as a user runs them.
#include <cmath>
#include <regex>

#include "../clouds.hpp"
#include "answers_fixture.hpp"
#include "ply_text.hpp"

namespace kann::test {
namespace {

class FeaturesTest : public AnswersTest {
 protected:
  FeaturesTest() : AnswersTest("--data s.ply --device cpu --force") {
    write_file("s.ply", binary_ply(surface(3000, 3, 4)));
  }

  Table table(const std::string& more) const { return cloud(more + " --report r.json"); }
};

TEST_F(FeaturesTest, NormalsOfASphereLookUpOrToThePoint) {
  const Table up = table("--features normals,verticality");
  const Table in = table("--features normals --orient 0,0,0");
  for (std::size_t i = 0; i < 3000; ++i) {
    EXPECT_GE(up.at("nz")[i], 0);
    EXPECT_NEAR(up.at("verticality")[i], 1 - up.at("nz")[i], 1e-6);
    double along = 0, square = 0;
    for (const char axis : {'x', 'y', 'z'}) {
      const double n = in.at(std::string("n") + axis)[i];
      along += n * in.at(std::string(1, axis))[i];
      square += n * n;
    }
    EXPECT_LE(along, 0);
    EXPECT_NEAR(square, 1, 1e-6);
  }
  const json report = json_of("r.json");
  EXPECT_EQ(report["method"], "exact");
  EXPECT_EQ(report["features"].dump(), R"({"columns":["nx","ny","nz"],"too_few":0,"undetermined":0})");
}

TEST_F(FeaturesTest, CloudsHaveTheirDensityOnce) {
  EXPECT_TRUE(has(written("--features density,planarity -o out.ply", "out.ply"),
                  "property double scalar_density\nproperty float scalar_planarity\nend_header"));
}

/// A pair of close points is not dense, and a point alone has no neighbour in its ball.
TEST_F(FeaturesTest, DensitiesWithinARadiusAreThoseOfItsBall) {
  write_file("p.csv", "x,y,z\n0,0,0\n0,0,0.001\n5,5,5\n");
  const std::vector<double> density = cloud("--data p.csv --radius 0.5 -k all --features density").at("density");
  EXPECT_NEAR(density[0], 6 / M_PI, 1e-12);
  EXPECT_EQ(density[1], density[0]);
  EXPECT_EQ(density[2], 0);
}

/// Rows of any length are those of a k that is large enough, but for the ball of their density.
TEST_F(FeaturesTest, OfAllWithinARadiusAreThoseOfManyNeighbours) {
  const auto text_of = [&](const std::string& k) {
    table("--radius 0.1 --features normals,curvature,omnivariance -k " + k);
    return std::regex_replace(read_file("out.csv"), std::regex("\n((?:[^,\n]*,){6})[^,\n]*"), "\n$1");
  };
  EXPECT_TRUE(text_of("all") == text_of("500"));
}

TEST_F(FeaturesTest, PicturesShowThem) {
  succeeds("--features curvature --picture a.png --picture-by curvature");
  EXPECT_EQ(kann("--features curvature,nx --picture b.png --picture-by curvature").exit_code, 2);
  succeeds("--features normals,curvature -k all --radius 0.1 --picture b.png --picture-by nx");
  EXPECT_EQ(read_file("a.png").substr(1, 3), "PNG");
  EXPECT_EQ(read_file("b.png").substr(1, 3), "PNG");
}

TEST_F(FeaturesTest, WhatIsNotDeterminedIsSaid) {
  EXPECT_TRUE(has(succeeds("--data p.csv --features normals,linearity -o out.npz").err,
                  "kann: warning: --features: 40 of 40 queries have neighbours that determine no normal (on a "
                  "line, at one place, or spread alike in two directions); theirs is NaN\n"));
  const Outcome few = kann("--features planarity --radius 1e-9 -o out.npz");
  EXPECT_TRUE(has(few.err,
                  "kann: warning: --features: 3000 of 3000 queries have fewer than 3 points in their "
                  "neighbourhood; their features are NaN; take a larger --radius\n"));
  EXPECT_FALSE(has(few.err, "determine no normal"));
}

TEST_F(FeaturesTest, Refusals) {
  expect_refused(
      "--features normals,normal", 2,
      "--features expects normals, curvature, linearity, planarity, sphericity, verticality, omnivariance, density, "
      "neighbours, mean_distance, median_distance or lof, got 'normal'");
  expect_refused("--features normals,normals", 2, "--features expects each feature once, got 'normals,normals'");
  expect_refused("--features normals --orient 0,0", 2,
                 "--orient expects up, or X,Y,Z: the point that normals look to, got '0,0'");
  expect_refused("--orient up", 2, "--orient needs --features normals");
  expect_refused("--orient up --features curvature", 2, "--orient needs --features normals");
  expect_refused("--features normals -k 2", 2, "--features needs at least 3 neighbours: --k 8, or --k all --radius R");
  expect_refused("--features normals --sky", 2,
                 "--features does not go with --sky: shapes are those in a plane or in space");
  expect_refused("--features normals --match one-to-one", 2,
                 "--match does not go with --features: its rows have one neighbour");
  expect_refused("--features normals -k all --radius 1 --stats", 2,
                 "--features: no result is written, and no picture shows them; give --output, or --picture-by nx");
  expect_refused("--features normals -k all --radius 1 --pairs half", 2,
                 "--pairs half does not go with --features: a neighbourhood has all neighbours of a point");
  expect_refused("--features normals --picture p.png", 2,
                 "--features: no result is written, and no picture shows them; give --output, or --picture-by nx");
  expect_refused("--features normals -o out.fvecs", 2,
                 "out.fvecs: has no place for --features; write .npz, .csv, .tsv, .ply, .las or --output-format "
                 "cloud-csv");
  expect_refused(
      "--data p.csv --columns x,y --features normals", 3,
      "p.csv: points of 2 coordinates have no shapes in space (--features); name three with --columns X,Y,Z");
  for (const auto& [other, value] : {std::pair<std::string, std::string>{"--query", "p.csv"},
                                     {"--grid", "1"},
                                     {"--k all", "--radius 1"},
                                     {"--radius", "1"}})
    expect_refused(
        "--features lof -o out.npz " + other + " " + value, 2,
        "--features lof does not go with " + other + ": it compares points with their own k nearest neighbours");
}

/// On a line with gaps, what can be counted by hand. One or two coordinates are enough, and a row of one neighbour.
TEST_F(FeaturesTest, OfRowsAloneAreCountsAndDistances) {
  write_file("line.csv", "x,y\n0,0\n1,0\n3,0\n7,0\n7,0\n");
  const auto columns = [&](const std::string& more) { return cloud("--data line.csv --features " + more); };
  const Table all = columns("neighbours,median_distance,mean_distance -k all --radius 4");
  EXPECT_EQ(all.at("neighbours"), (std::vector<double>{2, 2, 4, 2, 2}));
  EXPECT_EQ(all.at("median_distance"), (std::vector<double>{2, 1.5, 3.5, 2, 2}));
  EXPECT_EQ(all.at("mean_distance"), (std::vector<double>{2, 1.5, 3.25, 2, 2}));
  const Table one = columns("neighbours,median_distance,lof -k 1 --picture p.png --picture-by lof");
  EXPECT_EQ(one.at("neighbours"), (std::vector<double>(5, 1)));
  EXPECT_EQ(one.at("median_distance"), (std::vector<double>{1, 1, 2, 0, 0}));
  EXPECT_NEAR(one.at("lof")[2], 2, 1e-9);
  EXPECT_EQ(one.at("lof")[3], 1);
}

}  // namespace
}  // namespace kann::test
