// kann::search_groups(): what is said and refused; fuzz/search compares the rows with brute force among the points that
// the groups allow.
#include "kann/groups.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "cpu_search.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

using Labels = std::vector<std::int64_t>;
/// Float64 rounds the distance by more than the box is wide: all images of the points above are equally far.
TEST(Groups, AreFoundFarAboveAPeriodicSlab) {
  constexpr double far = 1e13;
  const Points data{3, Array<double>{0.1, 0.2, 0, 0.7, 0.9, far, 0.5, 0.4, far, 0.1, 0.3, 0}};
  const Labels labels{0, 1, 1, 2};
  SearchOptions options = cpu_options(3);
  options.periodic = {1, 1, 0};
  const Neighbors got = search_groups(data, std::nullopt, {labels, {}, GroupRule::other}, options).neighbors;
  EXPECT_EQ(got.ids, (Array<std::int32_t>{3, 1, 2, 0, 3, -1, 0, 3, -1, 0, 1, 2}));
  for (const std::size_t i : {1, 2, 3, 4, 6, 7, 10, 11}) EXPECT_EQ(got.distances[i], static_cast<float>(far)) << i;
}

/// Squares vanish, so that the point of lower index is the nearest, which is beyond the radius.
TEST(Groups, ARadiusLeavesOutWhatIsInTheRow) {
  const Points data{2, Array<double>{4e-318, 0, 2e-318, 0}}, query{2, Array<double>{0, 0}};
  SearchOptions options = cpu_options(1);
  options.radius = 3e-318;
  for (const auto& [asked, rule] : {std::pair{Labels{0}, GroupRule::same}, {Labels{1}, GroupRule::other}})
    EXPECT_EQ(search_groups(data, query, {Labels{0, 0}, asked, rule}, options).neighbors.ids, Array<std::int32_t>{-1});
}

TEST(Groups, SkipInvalidPoints) {
  Points data = to_points(uniform(50, 3, 9), 3);
  std::get<Array<float>>(data.coordinates)[30] = std::numeric_limits<float>::quiet_NaN();
  const Labels labels(50, 1);
  SearchOptions options = cpu_options(60);
  const auto search = [&] { return search_groups(data, std::nullopt, {labels, {}, GroupRule::same}, options); };
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, search),
            "data: 1 of 50 points have NaN or infinite coordinates (first: 10); use --invalid skip");
  options.invalid = InvalidPoints::skip;
  const SearchResult got = search();
  EXPECT_EQ(std::ranges::count(got.neighbors.ids, 10), 0);
  EXPECT_EQ(got.report.data_skipped, 1);
  EXPECT_EQ(got.report.warnings, (std::vector<std::string>{"49 of 49 queries have fewer than k=60 neighbours in their "
                                                           "group; missing ones are id -1, distance inf"}));
}

TEST(Groups, RefuseOtherSearches) {
  const Points data = to_points(uniform(10, 3, 9), 3);
  const Labels labels(10, 1), few(9, 1);
  SearchOptions options = cpu_options();
  const auto refused = [&](ErrorKind kind, const Labels& given) {
    return refusal_of(kind, [&] { search_groups(data, std::nullopt, {given, {}, GroupRule::same}, options); });
  };
  EXPECT_EQ(refused(ErrorKind::bad_input, few), "data: 9 groups are given for 10 points");
  options.method = Method::shifted_sort;
  EXPECT_EQ(refused(ErrorKind::usage, labels), "--method shifted-sort does not go with --group, whose answer is exact");
}

}  // namespace
}  // namespace kann::test
