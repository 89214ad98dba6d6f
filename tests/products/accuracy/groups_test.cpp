// By groups, measure_accuracy() and compare() expect the points that the groups allow, and no others.
#include "kann/groups.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "clouds.hpp"
#include "products/accuracy/exact_answer.hpp"

namespace kann::test {
namespace {

using Labels = std::vector<std::int64_t>;

/// Labels −1 (no group) to `most`, also large ones.
Labels labels_of(std::int64_t count, std::int64_t most, std::int64_t seed) {
  Labels labels;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t label = (i * 7 + seed + i / 5) % (most + 2) - 1;
    labels.push_back(label == most ? std::int64_t{1} << 62 : label);
  }
  return labels;
}

/// The definition: all allowed pairs, sorted.
Neighbors rows_by_groups(const Points& data, const Points& queries, std::int64_t k, bool drop_self,
                         const Groups& groups) {
  Neighbors rows{queries.size(), k, {}, {}};
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    const std::int64_t label = (groups.queries.empty() ? groups.data : groups.queries)[q];
    std::vector<std::pair<double, std::int32_t>> allowed;
    for (std::int64_t i = 0; i < data.size(); ++i) {
      const bool is_same = groups.data[i] == label;
      if (label < 0 || groups.data[i] < 0 || is_same != (groups.rule == GroupRule::same)) continue;
      if (!is_finite(data, i) || !is_finite(queries, q) || (drop_self && i == q)) continue;
      allowed.emplace_back(sq_distance(data, i, queries, q), static_cast<std::int32_t>(i));
    }
    append_nearest(allowed, rows);
  }
  return rows;
}

std::int64_t found_in(const Neighbors& rows) {
  return static_cast<std::int64_t>(rows.ids.size()) - std::ranges::count(rows.ids, k_missing_id);
}

TEST(AccuracyGroups, BruteForceIsIdenticalOnEveryCloud) {
  for (const CloudKind& kind : all_clouds())
    for (const std::int64_t n : {0, 1, 2, 8, 9, 129})
      for (const GroupRule rule : {GroupRule::same, GroupRule::other})
        for (const bool is_self : {false, true}) {
          SCOPED_TRACE(kind.name + std::to_string(n) + (rule == GroupRule::same ? " same" : " other"));
          const Points data = to_points(kind.make(static_cast<int>(n), 3, 1), 3);
          const Points queries = is_self ? data : to_points(kind.make(33, 3, 2), 3);
          const Labels of_data = labels_of(n, 4, 0), of_queries = is_self ? Labels() : labels_of(33, 5, 3);
          const Groups groups{of_data, of_queries, rule};
          const Neighbors rows = rows_by_groups(data, queries, 8, is_self, groups);
          const AccuracyOptions options{.self_query = is_self, .exact = true, .groups = groups};
          for (const Accuracy& a :
               {measure_accuracy(data, queries, rows, options), compare(data, queries, rows, rows, options)}) {
            EXPECT_EQ(a.faulty, 0) << a.first_fault;
            EXPECT_EQ(a.identical, a.judged);
            EXPECT_EQ(a.expected, found_in(rows));
            EXPECT_TRUE(a.expected == 0 ? std::isnan(a.recall) : a.recall == 1);
          }
        }
}

TEST(AccuracyGroups, JudgesWhatASearchByGroupsFinds) {
  SearchOptions search;
  search.k = 6;
  search.device.kind = DeviceKind::cpu;
  const Points data = to_points(uniform(700, 3, 1), 3), queries = to_points(uniform(300, 3, 2), 3);
  const Labels of_data = labels_of(700, 9, 0), of_queries = labels_of(300, 9, 1);
  for (const GroupRule rule : {GroupRule::same, GroupRule::other})
    for (const double radius : {0.2, 9.}) {
      const Groups groups{of_data, of_queries, rule};
      search.radius = radius;
      const Neighbors rows = search_groups(data, queries, groups, search).neighbors;
      const Accuracy a = measure_accuracy(data, queries, rows, {.exact = true, .radius = radius, .groups = groups});
      EXPECT_EQ(a.faulty, 0) << a.first_fault;
      EXPECT_EQ(a.identical, 300);
      EXPECT_EQ(a.expected, found_in(rows));
      EXPECT_GT(a.expected, 300);
    }
}

TEST(AccuracyGroups, FindsWhatIsWrong) {
  const Points data{2, Array<float>{0, 0, 1, 0, 2, 0, 3, 0}}, query{2, Array<float>{0, 0}};
  const Labels of_data{7, -1, 8, 7};
  const auto judge = [&](Array<std::int32_t> ids, Array<float> distances, const Labels& of_query, GroupRule rule) {
    return measure_accuracy(data, query, {1, 2, std::move(ids), std::move(distances)},
                            {.exact = true, .groups = Groups{of_data, of_query, rule}});
  };
  const Labels seven{7}, nine{9}, none{-1};
  EXPECT_EQ(judge({0, 3}, {0, 3}, seven, GroupRule::same).identical, 1);
  EXPECT_EQ(judge({2, -1}, {2, k_infinity}, seven, GroupRule::other).identical, 1);
  EXPECT_EQ(judge({0, 2}, {0, 2}, nine, GroupRule::other).identical, 1);
  EXPECT_EQ(judge({-1, -1}, {k_infinity, k_infinity}, nine, GroupRule::same).expected, 0);
  EXPECT_EQ(judge({-1, -1}, {k_infinity, k_infinity}, none, GroupRule::other).expected, 0);
  const std::string wrong = " is not in a group that the query may have";
  const Accuracy other = judge({0, 2}, {0, 2}, seven, GroupRule::same);
  EXPECT_EQ(other.first_fault, "rank 1: id 2" + wrong);
  EXPECT_EQ(other.recall, .5);
  EXPECT_EQ(judge({0, 1}, {0, 1}, seven, GroupRule::same).first_fault, "rank 1: id 1" + wrong);
  EXPECT_EQ(judge({0, 2}, {0, 2}, none, GroupRule::other).first_fault, "rank 0: id 0" + wrong);
  const Accuracy missing = judge({0, -1}, {0, k_infinity}, seven, GroupRule::same);
  EXPECT_EQ(missing.first_fault, "rank 1: id -1 (need 2 neighbours)");
  EXPECT_EQ(missing.recall, .5);
}

TEST(AccuracyGroups, RefusesWhatItCannotJudge) {
  const Points data{2, Array<float>{0, 0, 1, 0}};
  const Labels labels{1, 1}, one{1};
  const auto message = [&](const AccuracyOptions& options) -> std::string {
    try {
      measure_accuracy(data, data, {2, 1, {1, 0}, {1, 1}}, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.groups = Groups{labels, labels}}), "accuracy: groups need rows that are exact");
  EXPECT_EQ(message({.exact = true, .groups = Groups{labels, one}}), "accuracy: not a label per point (got 2 and 1)");
  EXPECT_EQ(message({.self_query = true, .exact = true, .groups = Groups{one, {}}}),
            "accuracy: not a label per point (got 1 and 0)");
}

}  // namespace
}  // namespace kann::test
