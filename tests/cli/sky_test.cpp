// --sky and --unit, as a user runs them.
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "run_kann.hpp"

namespace kann::test {
namespace {

using nlohmann::json;

class SkyTest : public ProgramTest {
 protected:
  SkyTest() {
    write_file("stars.csv",
               "name_id,ra,ra_error,dec,mag\n1,359.9999,1,0,7\n2,0.0002,1,0,8\n3,10,1,90,9\n4,10,1,-45,3\n");
    write_file("q.csv", "lon,lat\n0,0\n-77,89.999\n190,45\n");
  }

  Outcome run_sky(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"--device", "cpu", "--sky", "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  void expect_refused(const std::vector<std::string>& more, int code, const std::string& message) const {
    const Outcome o = run_sky(more);
    EXPECT_EQ(o.exit_code, code) << o.err;
    EXPECT_EQ(o.err, "kann: error: " + message + "\n");
  }
};

TEST_F(SkyTest, FindsNeighboursAcrossTheMeridianAndThePole) {
  const Outcome o = run_sky({"--data", "stars.csv", "--query", "q.csv", "--k", "1", "--unit", "arcsec", "-o", "nn.csv",
                             "--report", "r.json", "--verify"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("nn.csv"), "query,rank,id,distance\n0,0,0,0.36\n1,0,2,3.6\n2,0,2,162000\n");
  EXPECT_NE(o.err.find("exact, on the sky in arcsec"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("3 all-correct, 3 identical"), std::string::npos) << o.err;
  const json report = json::parse(read_file("r.json"));
  EXPECT_EQ(report["sky"], "arcsec");
  EXPECT_EQ(report["method"], "exact");
  EXPECT_EQ(report["data"]["columns"], (json{"ra", "dec"}));
  EXPECT_EQ(report["data"]["dimensions"], 2);
}

TEST_F(SkyTest, ListsPairsWithinARadius) {
  const Outcome o = run_sky({"--data", "stars.csv", "--radius", "2", "--unit", "arcsec", "--k", "all", "-o", "nn.csv"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(read_file("nn.csv"), "query,rank,id,distance\n0,0,1,1.08\n1,0,0,1.08\n");
  EXPECT_NE(o.err.find("4 queries, 2 neighbours within 2 arcsec among 4 points"), std::string::npos) << o.err;
  EXPECT_EQ(count_in(run_sky({"--data", "stars.csv", "--radius", "0.001", "--k", "all", "--stats"})), "2");
  const Outcome rows = run_sky(
      {"--data", "stars.csv", "--radius", "40", "--unit", "m", "--k", "2", "-o", "-", "--output-format", "csv"});
  EXPECT_EQ(rows.out.substr(0, rows.out.find("\n1,")), "query,rank,id,distance\n0,0,1,33.358524\n0,1,-1,inf");
  EXPECT_NE(rows.err.find("2 neighbours within 40 m"), std::string::npos) << rows.err;
}

/// A cap of 60 degrees has the area π of the unit sphere, half of the sphere 2π; a radian is 180/π degrees.
TEST_F(SkyTest, DensitiesArePerCapOfTheSphere) {
  write_file("two.csv", "ra,dec\n0,90\n77,30\n");
  for (const auto& [rows, area] : {std::pair{std::vector<std::string>{"-k", "2", "--include-self"}, M_PI / 2},
                                   {std::vector<std::string>{"-k", "all", "--radius", "90"}, 2 * M_PI}}) {
    std::vector<std::string> arguments{"--data", "two.csv", "-o", "-", "--output-format", "cloud-csv"};
    arguments.insert(arguments.end(), rows.begin(), rows.end());
    const std::string first = run_sky(arguments).out;
    const double density = std::stod(first.substr(first.rfind(',') + 1));
    EXPECT_NEAR(density, 1 / (area * (180 / M_PI) * (180 / M_PI)), 1e-11) << first;
  }
}

TEST_F(SkyTest, HasTheSameBytesInTilesPiecesAndMemory) {
  std::string cloud = "ra,dec\n";
  std::uint64_t state = 1;
  const auto next = [&] {
    return static_cast<double>((state = state * 6364136223846793005u + 1442695040888963407u) >> 11) * 0x1p-53;
  };
  for (int i = 0; i < 60000; ++i) cloud += fmt::format("{},{}\n", 360 * next(), 180 * next() - 90);
  write_file("big.csv", cloud);
  for (const std::vector<std::string>& searched : {std::vector<std::string>{"--data", "big.csv"},
                                                   {"--data", "stars.csv", "--query", "big.csv"},
                                                   {"--data", "big.csv", "--radius", "20"}}) {
    const auto run_in = [&](const std::string& output, const std::string& memory) {
      std::vector<std::string> arguments = searched;
      for (const char* more : {"--unit", "arcmin", "--k", "5", "-o"}) arguments.emplace_back(more);
      arguments.push_back(output);
      for (const char* more : {"--verify", "100"}) arguments.emplace_back(more);
      if (!memory.empty()) arguments.insert(arguments.end(), {"--max-memory", memory});
      const Outcome o = run_sky(arguments);
      EXPECT_EQ(o.exit_code, 0) << o.err;
      EXPECT_NE(o.err.find("100 all-correct, 100 identical"), std::string::npos) << o.err;
      return o.err;
    };
    run_in("memory.npz", "");
    const std::string messages = run_in("files.npz", "20MB");
    EXPECT_NE(messages.find(searched[1] == "stars.csv" ? " piece" : " tiles"), std::string::npos) << messages;
    EXPECT_TRUE(read_file("memory.npz") == read_file("files.npz")) << searched[1] << messages;
  }
}

TEST_F(SkyTest, WritesCloudsWithTheirAngles) {
  const Outcome o = run_sky({"--data", "stars.csv", "--query", "q.csv", "--k", "1", "--transfer", "mag",
                             "--output-format", "cloud-csv", "-o", "out.csv"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const std::string written = read_file("out.csv");
  EXPECT_NE(written.find("\n-77,89.999,"), std::string::npos) << written;
  EXPECT_TRUE(written.starts_with("lon,lat,nn_id,")) << written;
  EXPECT_EQ(run_sky({"--data", "out.csv", "--k", "1", "-o", "again.csv"}).exit_code, 0)
      << "the names say what they are";
}

TEST_F(SkyTest, ReadsThePlyThatItWrites) {
  ASSERT_EQ(run_sky({"--data", "stars.csv", "--k", "1", "-o", "stars.ply"}).exit_code, 0);
  for (const char* const cloud : {"stars.csv", "stars.ply"})
    EXPECT_EQ(run_sky({"--data", cloud, "--k", "2", "-o", std::string(cloud) + ".tsv"}).exit_code, 0);
  EXPECT_EQ(read_file("stars.ply.tsv"), read_file("stars.csv.tsv"));
}

TEST_F(SkyTest, AGridEndsAtThePoles) {
  write_file("polar.csv", "ra,dec\n0,89.9\n200,89.95\n20,-90\n");
  for (const char* const memory : {"1G", "17M"}) {
    const auto grid = [&](const std::string& step) {
      return run_sky({"--data", "polar.csv", "--grid", step, "--k", "1", "--max-memory", memory, "-o", "cells.csv",
                      "--output-format", "cloud-csv"});
    };
    const Outcome beyond = grid("1.9");
    EXPECT_EQ(beyond.exit_code, 2);
    EXPECT_EQ(beyond.err,
              "kann: error: polar.csv: --grid: a grid of step 1.9 has cells with their centres beyond a pole, at the "
              "latitude -90.25; take a step that divides 90, and leave out data at 90 itself, or give the points by "
              "--query\n");
    const Outcome within = grid("2.5");
    EXPECT_EQ(within.exit_code, 0) << within.err;
    EXPECT_TRUE(read_file("cells.csv").starts_with("ra,dec,nn_id,nn_distance\n1.25,88.75,"));
  }
}

TEST_F(SkyTest, TakesAPairOfOneFrameByItsNames) {
  for (const std::string names : {"RAICRS,DEICRS,a,b", "ALPHA_J2000,DELTA_J2000,a,b",
                                  "_RAJ2000,_DEJ2000,RAJ2000,DEJ2000", "right_ascension,declination,e_RA,e_DE",
                                  "ra,dec,lat,GLON", "ra,dec,ra_h,dec_deg", "lon_deg,lat_deg,lon_rad,lat_rad"}) {
    write_file("pair.csv", names + "\n10,20,30,95\n11,21,31,95\n");
    const Outcome o =
        run({"--data", "pair.csv", "--sky", "-k1", "--device", "cpu", "-o", "-", "--output-format", "csv"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(o.out.starts_with("query,rank,id,distance\n0,0,1,1.37")) << names << o.out;
  }
}

TEST_F(SkyTest, WarnsOfTwoFrames) {
  const auto warned = [&](const std::string& names) {
    write_file("a.csv", "ra,dec\n10,20\n11,21\n");
    write_file("b.csv", names + "\n10,20\n");
    const Outcome o = run({"--data", "a.csv", "--query", "b.csv", "--sky", "-k1", "-o", "a.npz", "--force"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return o.err.find("a.csv is in equatorial coordinates, but b.csv is in galactic coordinates") != std::string::npos;
  };
  EXPECT_TRUE(warned("glon,glat"));
  EXPECT_FALSE(warned("RAJ2000,DEJ2000"));
  EXPECT_FALSE(warned("lon,lat"));
}

TEST_F(SkyTest, WarnsOfHoursAndRadians) {
  const auto warns = [&](const std::string& rows, const std::string& unit) {
    write_file("a.csv", "ra,dec\n" + rows);
    const Outcome o = run({"--data", "a.csv", "--sky", "-k1", "--device", "cpu", "-o", "a.npz", "--force"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return o.err.find("look like " + unit + ", and --sky takes degrees") != std::string::npos;
  };
  EXPECT_TRUE(warns("6.75,-16.7\n18.6,38.8\n", "hours"));
  EXPECT_TRUE(warns("0.1,-1.5\n6.2,1.5\n", "radians"));
  EXPECT_FALSE(warns("0.1,35\n23.9,65\n", "hours"));
  EXPECT_FALSE(warns("6.75,-16.7\n24.6,38.8\n", "hours"));
  EXPECT_FALSE(warns("0.1,-1.6\n6.2,1.5\n", "radians"));
}

TEST_F(SkyTest, RefusesWhatItCannotMean) {
  const std::string both[] = {"--data", "stars.csv", "--query", "q.csv"};
  expect_refused({both[0], both[1], "--columns", "dec,ra"}, 3,
                 "stars.csv: --columns: --sky takes longitude (ra) first, then latitude (dec): ra,dec");
  expect_refused({both[0], both[1], "--columns", "ra,dec,mag"}, 3,
                 "stars.csv: --columns: --sky takes two coordinates, longitude and latitude, got 3");
  for (const std::string names :
       {"ra, dec, ra_deg, dec_deg", "RA_ICRS, GLAT", "GLON, GLAT, RA_deg, DE_deg", "ra, dec_deg", "alpha, delta",
        "RA_h, RA_m, DE_d, DE_m", "ra_h, dec_rad", "ra_h, ra_hours, dec"}) {
    write_file("two.csv", names + "\n1,2,3,4\n");
    expect_refused({"--data", "two.csv"}, 3,
                   "two.csv:1: the header does not say which columns are longitude and latitude: " + names +
                       "; name them, or give their numbers from 1, with --columns");
  }
  write_file("hours.csv", "ra_h,dec\n1,2\n");
  expect_refused({"--data", "hours.csv", "--columns", "1,2"}, 3,
                 "hours.csv: --columns: by its name, 'ra_h' is in hours or radians; give names, and it is converted to "
                 "degrees");
  write_file("alone.csv", "ra,mag,flux\n1,2,3\n");
  expect_refused({"--data", "alone.csv"}, 3,
                 "alone.csv:1: the header does not say which columns are longitude and latitude: ra, mag, flux; name "
                 "them, or give their numbers from 1, with --columns");
  write_file("far.csv", "1,2\n3,91\n");
  expect_refused({"--data", "far.csv"}, 3,
                 "far.csv: point 1 has the latitude 91, which is not within -90 and 90 degrees; --sky takes longitude "
                 "(ra) first, then latitude (dec)");
  write_file("three.csv", "1,2,3\n3,4,5\n");
  expect_refused({"--data", "three.csv"}, 3,
                 "three.csv: points have 3 coordinates; --sky takes two, longitude and latitude: choose them with "
                 "--columns");
  expect_refused({both[0], both[1], "--periodic", "1,1"}, 2, "--sky and --periodic exclude each other");
  expect_refused({both[0], both[1], "--transfer", "mag", "--by", "rbf"}, 2,
                 "--by rbf does not go with --sky: its distances are straight; take --by idw");
  expect_refused({both[0], both[1], "--unit", "rad"}, 2,
                 "--unit expects arcsec, arcmin, deg, m or km with --sky, got 'rad'");
  const Outcome alone = run({"--data", "q.csv", "--unit", "deg"});
  EXPECT_EQ(alone.err, "kann: error: --unit deg is an angle and needs --sky\n");
  EXPECT_EQ(alone.exit_code, 2);
}

TEST_F(SkyTest, IsCompared) {
  const std::vector<std::string> of_stars{"--data", "stars.csv", "--k", "2", "--unit", "arcsec"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), of_stars.begin(), of_stars.end());
    return more;
  };
  EXPECT_EQ(run_sky(with({"-o", "a.npz"})).exit_code, 0);
  expect_refused({"--data", "stars.csv", "--k", "2", "--compare", "a.npz", "-o", "b.npz"}, 3,
                 "a.npz: a result with other distances (got arcsec, need deg)");
  EXPECT_EQ(run_sky(with({"-o", "b.npz", "--compare", "a.npz"})).exit_code, 0);
}

}  // namespace
}  // namespace kann::test
