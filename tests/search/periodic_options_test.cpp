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

TEST(PeriodicOptions, SidesAreChecked) {
  const std::string what =
      "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, got '";
  EXPECT_EQ(refusal_of_box(in_box({1}, 1)), what + "1'");
  EXPECT_EQ(refusal_of_box(in_box({1, 2, 3, 4}, 1)), what + "1,2,3,4'");
  EXPECT_EQ(refusal_of_box(in_box({0, 0, 0}, 1)), what + "0,0,0'");
  EXPECT_EQ(refusal_of_box(in_box({1, -2, 1}, 1)), what + "1,-2,1'");
  EXPECT_EQ(refusal_of_box(in_box({1, std::nan(""), 1}, 1)), what + "1,nan,1'");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 2e150}, 1)), what + "1,1,2e+150'");
  EXPECT_EQ(refusal_of_box(in_box({1, 1}, 1)),
            "--periodic has 2 sides, but data has 3 coordinates per point (need a side for each)");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 0}, 1), 2),
            "--periodic has 3 sides, but data has 2 coordinates per point (need a side for each)");
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
