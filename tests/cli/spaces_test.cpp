// Searches in other spaces: --sky with --unit, and --periodic with --images.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "clouds.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

class SkyTest : public ProgramTest {
 protected:
  SkyTest() : ProgramTest("--device cpu --sky --force") {
    write_file("stars.csv",
               "name_id,ra,ra_error,dec,mag\n1,359.9999,1,0,7\n2,0.0002,1,0,8\n3,10,1,90,9\n4,10,1,-45,3\n");
    write_file("q.csv", "lon,lat\n0,0\n-77,89.999\n190,45\n");
  }
};

TEST_F(SkyTest, FindsNeighboursAcrossTheMeridianAndThePole) {
  const Outcome o = succeeds("--data stars.csv --query q.csv --k 1 --unit arcsec -o nn.csv --report r.json --verify");
  EXPECT_EQ(read_file("nn.csv"), "query,rank,id,distance\n0,0,0,0.36\n1,0,2,3.6\n2,0,2,162000\n");
  EXPECT_TRUE(has(o.err, "exact, on the sky in arcsec"));
  EXPECT_TRUE(has(o.err, "3 all-correct, 3 identical"));
  const json report = json_of("r.json");
  EXPECT_EQ(report["sky"], "arcsec");
  EXPECT_EQ(report["method"], "exact");
  EXPECT_EQ(report["data"]["columns"], (json{"ra", "dec"}));
  EXPECT_EQ(report["data"]["dimensions"], 2);
}

TEST_F(SkyTest, ListsPairsWithinARadius) {
  const Outcome o = succeeds("--data stars.csv --radius 2 --unit arcsec --k all -o nn.csv");
  EXPECT_EQ(read_file("nn.csv"), "query,rank,id,distance\n0,0,1,1.08\n1,0,0,1.08\n");
  EXPECT_TRUE(has(o.err, "4 queries, 2 neighbours within 2 arcsec among 4 points"));
  EXPECT_EQ(count_in(kann("--data stars.csv --radius 0.001 --k all --stats")), "2");
  const Outcome rows = kann("--data stars.csv --radius 40 --unit m --k 2 -o - --output-format csv");
  EXPECT_EQ(rows.out.substr(0, rows.out.find("\n1,")), "query,rank,id,distance\n0,0,1,33.358524\n0,1,-1,inf");
  EXPECT_TRUE(has(rows.err, "2 neighbours within 40 m"));
}

/// A cap of 60 degrees has the area π of the unit sphere, half of the sphere 2π; a radian is 180/π degrees.
TEST_F(SkyTest, DensitiesArePerCapOfTheSphere) {
  write_file("two.csv", "ra,dec\n0,90\n77,30\n");
  for (const auto& [rows, area] :
       {std::pair<std::string, double>{"-k 2 --include-self", M_PI / 2}, {"-k all --radius 90", 2 * M_PI}}) {
    const std::string first = written("--data two.csv -o - --output-format cloud-csv " + rows);
    const double density = std::stod(first.substr(first.rfind(',') + 1));
    EXPECT_NEAR(density, 1 / (area * (180 / M_PI) * (180 / M_PI)), 1e-11) << first;
  }
}

TEST_F(SkyTest, HasTheSameBytesInTilesPiecesAndMemory) {
  Random random(1);
  std::string cloud = "ra,dec\n";
  for (int i = 0; i < 60000; ++i) cloud += fmt::format("{},{}\n", 360 * random.uniform(), 180 * random.uniform() - 90);
  write_file("big.csv", cloud);
  for (const auto& [clouds, parts] : {std::pair<std::string, std::string>{"big.csv", " tiles"},
                                      {"stars.csv --query big.csv", " piece"},
                                      {"big.csv --radius 20", " tiles"}}) {
    const std::string search = "--unit arcmin --k 5 --verify 100 -o o.npz --data " + clouds;
    const std::string whole = written(search, "o.npz");
    const Outcome o = succeeds(search + " --max-memory 20MB");
    EXPECT_TRUE(has(o.err, parts));
    EXPECT_TRUE(has(o.err, "100 all-correct, 100 identical"));
    EXPECT_TRUE(read_file("o.npz") == whole) << clouds;
  }
}

TEST_F(SkyTest, WritesCloudsWithTheirAngles) {
  const std::string cloud =
      written("--data stars.csv --query q.csv --k 1 --transfer mag --output-format cloud-csv -o out.csv", "out.csv");
  EXPECT_TRUE(has(cloud, "\n-77,89.999,"));
  EXPECT_TRUE(begins(cloud, "lon,lat,nn_id,"));
  succeeds("--data out.csv --k 1 -o again.csv");
}

TEST_F(SkyTest, ReadsThePlyThatItWrites) {
  succeeds("--data stars.csv --k 1 -o stars.ply");
  EXPECT_EQ(written("--data stars.ply --k 2 -o a.tsv", "a.tsv"), written("--data stars.csv --k 2 -o b.tsv", "b.tsv"));
}

TEST_F(SkyTest, AGridEndsAtThePoles) {
  write_file("polar.csv", "ra,dec\n0,89.9\n200,89.95\n20,-90\n");
  for (const std::string memory : {"1G", "17M"}) {
    const std::string grid =
        "--data polar.csv --k 1 -o cells.csv --output-format cloud-csv --max-memory " + memory + " --grid ";
    expect_refused(grid + "1.9", 2,
                   "polar.csv: --grid: a grid of step 1.9 has cells with their centres beyond a pole, at the latitude "
                   "-90.25; take a step that divides 90, and leave out data at 90 itself, or give the points by "
                   "--query");
    EXPECT_TRUE(begins(written(grid + "2.5", "cells.csv"), "ra,dec,nn_id,nn_distance\n1.25,88.75,"));
  }
}

TEST_F(SkyTest, TakesAPairOfOneFrameByItsNames) {
  for (const std::string names : {"RAICRS,DEICRS,a,b", "ALPHA_J2000,DELTA_J2000,a,b",
                                  "_RAJ2000,_DEJ2000,RAJ2000,DEJ2000", "right_ascension,declination,e_RA,e_DE",
                                  "ra,dec,lat,GLON", "ra,dec,ra_h,dec_deg", "lon_deg,lat_deg,lon_rad,lat_rad"}) {
    write_file("pair.csv", names + "\n10,20,30,95\n11,21,31,95\n");
    EXPECT_TRUE(begins(written("--data pair.csv -k1 -o - --output-format csv"), "query,rank,id,distance\n0,0,1,1.37"))
        << names;
  }
}

TEST_F(SkyTest, WarnsOfTwoFrames) {
  const auto warned = [&](const std::string& names) {
    write_file("a.csv", "ra,dec\n10,20\n11,21\n");
    write_file("b.csv", names + "\n10,20\n");
    return has(succeeds("--data a.csv --query b.csv -k1 -o a.npz").err,
               "a.csv is in equatorial coordinates, but b.csv is in galactic coordinates");
  };
  EXPECT_TRUE(warned("glon,glat"));
  EXPECT_FALSE(warned("RAJ2000,DEJ2000"));
  EXPECT_FALSE(warned("lon,lat"));
}

TEST_F(SkyTest, WarnsOfHoursAndRadians) {
  const auto warns = [&](const std::string& rows, const std::string& unit) {
    write_file("a.csv", "ra,dec\n" + rows);
    return has(succeeds("--data a.csv -k1 -o a.npz").err, "look like " + unit + ", and --sky takes degrees");
  };
  EXPECT_TRUE(warns("6.75,-16.7\n18.6,38.8\n", "hours"));
  EXPECT_TRUE(warns("0.1,-1.5\n6.2,1.5\n", "radians"));
  EXPECT_FALSE(warns("0.1,35\n23.9,65\n", "hours"));
  EXPECT_FALSE(warns("6.75,-16.7\n24.6,38.8\n", "hours"));
  EXPECT_FALSE(warns("0.1,-1.6\n6.2,1.5\n", "radians"));
}

TEST_F(SkyTest, RefusesWhatItCannotMean) {
  const std::string stars = "--data stars.csv";
  expect_refused(stars + " --columns dec,ra", 3,
                 "stars.csv: --columns: --sky takes longitude (ra) first, then latitude (dec): ra,dec");
  expect_refused(stars + " --columns ra,dec,mag", 3,
                 "stars.csv: --columns: --sky takes two coordinates, longitude and latitude, got 3");
  for (const std::string names :
       {"ra, dec, ra_deg, dec_deg", "RA_ICRS, GLAT", "GLON, GLAT, RA_deg, DE_deg", "ra, dec_deg", "alpha, delta",
        "RA_h, RA_m, DE_d, DE_m", "ra_h, dec_rad", "ra_h, ra_hours, dec"}) {
    write_file("two.csv", names + "\n1,2,3,4\n");
    expect_refused("--data two.csv", 3,
                   "two.csv:1: the header does not say which columns are longitude and latitude: " + names +
                       "; name them, or give their numbers from 1, with --columns");
  }
  write_file("hours.csv", "ra_h,dec\n1,2\n");
  expect_refused("--data hours.csv --columns 1,2", 3,
                 "hours.csv: --columns: by its name, 'ra_h' is in hours or radians; give names, and it is converted to "
                 "degrees");
  write_file("alone.csv", "ra,mag,flux\n1,2,3\n");
  expect_refused("--data alone.csv", 3,
                 "alone.csv:1: the header does not say which columns are longitude and latitude: ra, mag, flux; name "
                 "them, or give their numbers from 1, with --columns");
  write_file("far.csv", "1,2\n3,91\n");
  expect_refused("--data far.csv", 3,
                 "far.csv: point 1 has the latitude 91, which is not within -90 and 90 degrees; --sky takes longitude "
                 "(ra) first, then latitude (dec)");
  write_file("three.csv", "1,2,3\n3,4,5\n");
  expect_refused("--data three.csv", 3,
                 "three.csv: points have 3 coordinates; --sky takes two, longitude and latitude: choose them with "
                 "--columns");
  expect_refused(stars + " --periodic 1,1", 2, "--sky and --periodic exclude each other");
  expect_refused(stars + " --transfer mag --by rbf", 2,
                 "--by rbf does not go with --sky: its distances are straight; take --by idw");
  expect_refused(stars + " --unit rad", 2, "--unit expects arcsec, arcmin, deg, m or km with --sky, got 'rad'");
  const Outcome alone = run("--data q.csv --unit deg");
  EXPECT_EQ(alone.err, "kann: error: --unit deg is an angle and needs --sky\n");
  EXPECT_EQ(alone.exit_code, 2);
}

TEST_F(SkyTest, IsCompared) {
  const std::string of_stars = "--data stars.csv --k 2 --unit arcsec ";
  succeeds(of_stars + "-o a.npz");
  expect_refused("--data stars.csv --k 2 --compare a.npz -o b.npz", 3,
                 "a.npz: a result with other distances (got arcsec, need deg)");
  succeeds(of_stars + "-o b.npz --compare a.npz");
}

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
                   "--radius 2.9: --periodic must repeat after more than twice that, got 5.64; take --images "
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
  EXPECT_TRUE(has(written(all + "-k 18 -o a.csv --verify", "a.csv"), "\n0,5,1,2.82,"));
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
