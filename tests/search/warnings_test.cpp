// The warnings of a search: each function by made-up facts, and in searches on the CPU.
#include "search/warnings.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "kann/search.hpp"

#include "clouds.hpp"
#include "cpu_search.hpp"

namespace kann {
namespace {

using Warnings = std::vector<std::string>;
using test::cpu_options;

TEST(SearchWarns, OfMissingNeighbours) {
  const Points three = test::to_points(test::uniform(3, 3, 7), 3), five = test::to_points(test::uniform(5, 3, 8), 3);
  for (const Method method : {Method::shifted_sort, Method::exact}) {
    auto options = cpu_options(8, method);
    options.data_name = "pts.ply";
    EXPECT_EQ(search(three, five, options).report.warnings,
              Warnings{"k=8 but pts.ply has 3 points; missing neighbours are id -1, distance inf"});
    options.k = 3;
    EXPECT_EQ(search(three, three, options).report.warnings, Warnings());
    EXPECT_EQ(search_self(three, options).report.warnings,
              Warnings{"k=3 but pts.ply has 3 points, the query itself among them; missing neighbours are id -1, "
                       "distance inf"});
  }
}

TEST(SearchWarns, OfOnePoint) {
  const Points one{3, Array<double>{0, 0, 0}};
  EXPECT_EQ(search(one, one, cpu_options(2)).report.warnings,
            Warnings{"k=2 but data has 1 point; missing neighbours are id -1, distance inf"});
}

/// Three windows of one point on each side offer six.
TEST(SearchWarns, OfRowsThatTheWindowCutsShort) {
  Points data = test::to_points(test::uniform(100, 3, 7), 3);
  auto options = cpu_options(20, Method::shifted_sort);
  options.window = 1;
  const auto warning = [](const SearchReport& r) { return r.warnings.empty() ? std::string() : r.warnings[0]; };
  EXPECT_EQ(warning(search_self(data, options).report),
            "--window 1 is too narrow for k=20: 100 rows have fewer neighbours; missing ones are id -1, distance inf");
  const Points one{3, Array<float>{0.5f, 0.5f, 0.5f}};
  EXPECT_EQ(warning(search(data, one, options).report),
            "--window 1 is too narrow for k=20: 1 row has fewer neighbours; missing ones are id -1, distance inf");
  const auto is_of_window = [&] { return warning(search(data, one, options).report).starts_with("--window"); };
  options.window = 10;
  EXPECT_FALSE(is_of_window());
  options.window = 1;
  options.k = 2;
  EXPECT_FALSE(is_of_window());
  // Skipped queries have no neighbours to find
  options.invalid = InvalidPoints::skip;
  const Points none{3, Array<float>{NAN, 0, 0, 0.5f, 0.5f, 0.5f}};
  EXPECT_FALSE(warning(search(data, none, options).report).starts_with("--window"));
}

/// The warnings about an approximate answer whose sample of 1,024 queries has this recall.
Warnings about_recall(std::optional<double> recall) {
  SearchResult result;
  result.report.sample = {1024, recall};
  return detail::warnings_about(problem::Prepared(), result, 0);
}

TEST(SearchWarns, OfALowRecallOfTheSample) {
  EXPECT_EQ(about_recall(0.93721), Warnings{"the approximate answer has recall 0.9372 (of 1024 queries, searched "
                                            "exactly); a wider --window finds more, --exact all"});
  EXPECT_EQ(about_recall(0).size(), 1u);
  EXPECT_EQ(about_recall(std::nextafter(0.95, 0)).size(), 1u);
  EXPECT_EQ(about_recall(0.95), Warnings());
  EXPECT_EQ(about_recall(1), Warnings());
  EXPECT_EQ(about_recall(std::nullopt), Warnings());  // there was nothing to find
}

TEST(SearchWarns, OfDistancesPastFloat32) {
  const Points wide{3, Array<double>{0, 0, 0, 1e39, 0, 0, 1, 0, 0}};
  const Points at_zero{3, Array<double>{0, 0, 0}}, at_ten{2, Array<double>{10, 0}}, far{2, Array<double>{-1e39, 0}};
  for (const Method method : {Method::shifted_sort, Method::exact}) {
    // Two from the far point, one from each of the others
    EXPECT_EQ(search_self(wide, cpu_options(2, method)).report.warnings,
              Warnings{"4 distances are larger than float32 can hold and are written as inf"});
    EXPECT_EQ(search_self(wide, cpu_options(1, method)).report.warnings,
              Warnings{"1 distance is larger than float32 can hold and is written as inf"});
    EXPECT_EQ(search(wide, at_zero, cpu_options(2, method)).report.warnings, Warnings());
  }
  EXPECT_EQ(search(at_ten, far, cpu_options(1)).report.warnings,
            Warnings{"1 distance is larger than float32 can hold and is written as inf"});
  // A missing neighbour has no distance
  EXPECT_EQ(search(at_ten, far, cpu_options(3)).report.warnings.size(), 2u);
  EXPECT_EQ(search(at_ten, far, cpu_options(3)).report.warnings[1],
            "1 distance is larger than float32 can hold and is written as inf");
}

TEST(SearchWarns, OfFloat32sThatAreTooFarApart) {
  const auto apart = [](float x) { return Points{2, Array<float>{-x, 0, x, 0}}; };
  EXPECT_EQ(search_self(apart(3e38f), cpu_options(1)).report.warnings,
            Warnings{"2 distances are larger than float32 can hold and are written as inf"});
  EXPECT_EQ(search_self(apart(1.7e38f), cpu_options(1)).report.warnings, Warnings());
}

TEST(SearchWarns, OfARecallThatASearchHas) {
  const Points cloud = test::to_points(test::uniform(20000, 3, 1), 3);
  auto options = cpu_options(8, Method::shifted_sort);
  options.shifts = 1;
  const SearchReport report = search_self(cloud, options).report;
  ASSERT_LT(report.sample.recall, 0.95);
  EXPECT_EQ(report.warnings, about_recall(report.sample.recall));
}

TEST(SearchWarns, OfNothingByDefault) {
  for (const auto& kind : test::all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t k : {1, 8, 16}) {
        const Points cloud = test::to_points(kind.make(3000, d, 3), d),
                     queries = test::to_points(kind.make(500, d, 4), d);
        EXPECT_EQ(search_self(cloud, cpu_options(k)).report.warnings, Warnings()) << kind.name << ", k = " << k;
        EXPECT_EQ(search(cloud, queries, cpu_options(k)).report.warnings, Warnings()) << kind.name << ", k = " << k;
      }
}

}  // namespace
}  // namespace kann
