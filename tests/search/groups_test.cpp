// kann::search_groups(): what is said and refused; fuzz/search compares the rows with brute force among the points that
// the groups allow.
#include "kann/groups.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
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

/// Groups that are searched by brute force, by one thread, and by all; mixed, and each in a place of its own.
TEST(Groups, OfAnySizeHaveTheRowsOfBruteForce) {
  constexpr std::int64_t n = 9000, sizes[] = {1, 2, 63, 64, 65, 500, 4095};
  constexpr std::size_t k = 5;
  const std::vector<float> cloud = uniform(n, 3, 12);
  const Points data = to_points(cloud, 3);
  Labels mixed(n, std::ssize(sizes)), slabs(n);
  for (std::int64_t group = 0, i = 0; group < std::ssize(sizes); ++group)
    for (std::int64_t end = i + sizes[group]; i < end; ++i) mixed[i * 7 % n] = group;
  for (std::int64_t i = 0; i < n; ++i) slabs[i] = static_cast<std::int64_t>(5 * cloud[3 * i]);
  SearchOptions options = cpu_options(k);
  options.radius = 0.1;
  for (const auto& [labels, rule] : {std::pair(mixed, GroupRule::same), std::pair(mixed, GroupRule::other),
                                     std::pair(slabs, GroupRule::same), std::pair(slabs, GroupRule::other)}) {
    const Groups groups{labels, {}, rule};
    const Neighbors got = search_groups(data, std::nullopt, groups, options).neighbors;
    const NeighborLists lists = search_radius_groups(data, std::nullopt, groups, options).lists;
    for (std::int64_t query = 0; query < n; ++query) {
      std::vector<std::pair<double, std::int32_t>> row;
      for (std::int64_t i = 0; i < n; ++i) {
        if ((labels[i] == labels[query]) != (rule == GroupRule::same) || i == query) continue;
        double sq_dist = 0;
        for (int a = 0; a < 3; ++a) sq_dist += std::pow(double{cloud[3 * query + a]} - double{cloud[3 * i + a]}, 2);
        if (sq_dist <= 0.01) row.emplace_back(sq_dist, i);
      }
      std::ranges::sort(row);
      std::vector<std::int32_t> ids;
      for (const auto& [sq_dist, id] : row) ids.push_back(id);
      const auto* const listed = lists.ids.data();
      ASSERT_EQ(std::vector(listed + lists.begins[query], listed + lists.begins[query + 1]), ids) << query;
      ids.resize(k, -1);
      ASSERT_EQ(std::vector(got.ids.data() + query * k, got.ids.data() + (query + 1) * k), ids) << query;
    }
  }
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
