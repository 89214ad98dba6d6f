// SearchOptions::periodic: what goes with it, and what is said of its rows.
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/error.hpp"
#include "kann/search.hpp"

#include "in_box.hpp"
#include "problems.hpp"

namespace kann::test {
namespace {

TEST(PeriodicOptions, WarningsAreThoseOfTheRows) {
  const Points data = to_points(uniform(3, 3, 1), 3);
  EXPECT_EQ(search_self(data, in_box({3, 3, 3}, 2)).report.warnings, std::vector<std::string>());
  for (const double side : {1.0, 0.1})
    EXPECT_EQ(search_self(data, in_box({side, side, side}, 8)).report.warnings.at(0),
              "k=8 but data has 3 points, the query itself among them; missing neighbours are id -1, distance inf");
  const Points wide{2, Array<double>{0, 0, 9e38, 0}};
  EXPECT_EQ(search_self(wide, in_box({1e39, 0}, 1)).report.warnings, std::vector<std::string>());
  EXPECT_EQ(search_self(wide, in_box({1e40, 0}, 1)).report.warnings.at(0),
            "2 distances are larger than float32 can hold and are written as inf");
}

std::string refusal_of_box(const SearchOptions& options, int dimensions = 3) {
  try {
    search_self(to_points(uniform(9, dimensions, 1), dimensions), options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(PeriodicOptions, NumbersAreChecked) {
  const std::string what =
      "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, with XY,XZ,YZ behind "
      "them if the box is slanted, or three vectors, got '";
  EXPECT_EQ(refusal_of_box(in_box({1}, 1)), what + "1'");
  EXPECT_EQ(refusal_of_box(in_box({1, 2, 3, 4}, 1)), what + "1,2,3,4'");
  EXPECT_EQ(refusal_of_box(in_box({0, 0, 0}, 1)), what + "0,0,0'");
  EXPECT_EQ(refusal_of_box(in_box({1, -2, 1}, 1)), what + "1,-2,1'");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, -1, 0, 0, 0}, 1)), what + "1,1,-1,0,0,0'");
  EXPECT_EQ(refusal_of_box(in_box({1, std::nan(""), 1}, 1)), what + "1,nan,1'");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 2e150}, 1)), what + "1,1,2e+150'");
  EXPECT_EQ(refusal_of_box(in_box({1, 1}, 1)),
            "--periodic has 2 sides, but data has 3 coordinates per point (need a side for each)");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 0}, 1), 2),
            "--periodic has 3 sides, but data has 2 coordinates per point (need a side for each)");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 1, 0.5, 0, 0}, 1), 2),
            "--periodic has tilts, but data has 2 coordinates per point (need 3)");
}

TEST(PeriodicOptions, BoxesWithoutVolumeAreRefused) {
  const std::string rest = ": a box without volume, or nearly; vector ";
  EXPECT_EQ(refusal_of_box(in_box({1, 0, 1, 0.5, 0, 0}, 1)),
            "--periodic 1,0,1,0.5,0,0" + rest + "2 is along those before it, or too short");
  EXPECT_EQ(refusal_of_box(in_box({1, 0, 0, 1, 1, 0, 2, 1, 0}, 1)),
            "--periodic 1,0,0,1,1,0,2,1,0" + rest + "3 is along those before it, or too short");
  EXPECT_EQ(refusal_of_box(in_box({1, 1e-9, 1, 1, 0, 0}, 1)),
            "--periodic 1,1e-09,1,1,0,0" + rest + "2 is along those before it, or too short");
  EXPECT_EQ(refusal_of_box(in_box({1, 0.0175, 1, 0.9998, 0, 0}, 1)), "");  // 1 degree
  EXPECT_EQ(refusal_of_box(in_box({-1, 0, 0, 0, 1, 0, 0, 0, 1}, 1)), "");  // left-handed
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 0, 0.5, 0, 0}, 1)), "");
}

TEST(PeriodicOptions, AnglesAreNotTakenForTilts) {
  const std::string rest =
      ": are the last three angles? They are the tilts XY,XZ,YZ, which are lengths; for such tilts, give the nine "
      "numbers "
      "of three vectors";
  EXPECT_EQ(refusal_of_box(in_box({3.25, 3.25, 5.2, 90, 90, 120}, 1)), "--periodic 3.25,3.25,5.2,90,90,120" + rest);
  EXPECT_EQ(refusal_of_box(in_box({100, 100, 100, 90, 90, 90}, 1)), "--periodic 100,100,100,90,90,90" + rest);
  EXPECT_EQ(refusal_of_box(in_box({250, 250, 250, 90, 90, 120}, 1)), "");  // as LAMMPS has it
  EXPECT_EQ(refusal_of_box(in_box({3, 0, 0, 90, 3, 0, 90, 120, 5}, 1)), "");
}

/// Half of the shortest vector is the limit, which may be none of the three.
TEST(PeriodicOptions, ARadiusPastHalfOfTheBoxNeedsAllImages) {
  const auto refusal = [](Sides box, double radius, Images images) {
    SearchOptions options = in_box(std::move(box), 1);
    options.radius = radius;
    options.images = images;
    return refusal_of_box(options);
  };
  const std::string rest = "; take --images all, with which every image is a neighbour";
  EXPECT_EQ(refusal({5, 2, 3}, 0.999, Images::nearest), "");
  EXPECT_EQ(refusal({5, 2, 3}, 1, Images::nearest),
            "--radius 1 needs a --periodic that repeats after more than twice that, got 2" + rest);
  EXPECT_EQ(refusal({5, 2, 0}, 1, Images::all), "");
  EXPECT_EQ(refusal({2, 1, 2, 2, 0, 0}, 0.49, Images::nearest), "");
  EXPECT_EQ(refusal({2, 1, 2, 2, 0, 0}, 0.51, Images::nearest),
            "--radius 0.51 needs a --periodic that repeats after more than twice that, got 1" + rest);
  EXPECT_EQ(refusal({1, 1, 1}, 20, Images::all),
            "--radius 20: a point has more than 10000 images of its own within it; take a smaller one");
  EXPECT_EQ(refusal({1, 1, 1}, 1e9, Images::all),
            "--radius 1e+09: a point has more than 10000 images of its own within it; take a smaller one");
  EXPECT_EQ(refusal({1, 1e-31, 1}, 0, Images::all),
            "--images all needs a --periodic that repeats after 1e-30 or more; scale the coordinates");
  EXPECT_EQ(refusal({}, 20, Images::all), "--images all needs --periodic, which says where they are");
}

TEST(PeriodicOptions, RowsPastHalfOfTheBoxAreCounted) {
  const Points data{2, Array<double>{0, 0, 1, 0, 5, 0}};
  EXPECT_EQ(search_self(data, in_box({10, 0}, 1)).report.warnings, std::vector<std::string>());
  EXPECT_EQ(search_self(data, in_box({8, 0}, 2)).report.warnings, std::vector<std::string>());  // half is none past it
  EXPECT_EQ(search_self(data, in_box({7, 0}, 2)).report.warnings, std::vector<std::string>());
  const Points queries{2, Array<double>{0, 0, 0, 9}};
  EXPECT_EQ(search(data, queries, in_box({8, 0}, 1)).report.warnings.at(0),
            "--periodic: 1 row has a neighbour farther than half of 8, after which the box repeats: a point is a "
            "neighbour once, by its nearest image, and others that are as near are left out; --images all has them");
}

TEST(PeriodicOptions, OptionsOfTheShiftedSortAreRefused) {
  const SearchOptions box = in_box({1, 1, 1}, 4);
  const auto with = [&](auto change) {
    SearchOptions options = box;
    change(options);
    return refusal_of_box(options);
  };
  const std::string rest = " is for approximate answers; it needs --method shifted-sort or paper";
  EXPECT_EQ(with([](auto& o) { o.shifts = 3; }), "--shifts" + rest);
  EXPECT_EQ(with([](auto& o) { o.window = 9; }), "--window" + rest);
  EXPECT_EQ(with([](auto& o) { o.method = Method::shifted_sort; }),
            "--method shifted-sort does not go with --periodic, whose answer is exact");
  EXPECT_EQ(with([](auto& o) { o.method = Method::paper; }),
            "--method paper does not go with --periodic, whose answer is exact");
}

}  // namespace
}  // namespace kann::test
