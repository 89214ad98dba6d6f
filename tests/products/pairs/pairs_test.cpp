// kann::mutual_pairs() and kann::one_to_one_pairs(), against their definitions: all pairs, sorted.
#include "kann/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "kann/search.hpp"

#include "clouds.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

struct Pair {
  float distance;
  std::int64_t query;
  std::int32_t id;
  auto key() const { return std::tuple(distance, query, id); }
};

/// Takes pairs in their order, and drops all others of the points that are taken.
Neighbors greedy(std::vector<Pair> all, std::int64_t queries) {
  std::ranges::sort(all, {}, &Pair::key);
  Neighbors pairs{queries, 1, Array<std::int32_t>(static_cast<std::size_t>(queries), -1),
                  Array<float>(static_cast<std::size_t>(queries), k_infinity)};
  std::set<std::int32_t> taken;
  for (const Pair& pair : all)
    if (auto& id = pairs.ids[static_cast<std::size_t>(pair.query)]; id == -1 && taken.insert(pair.id).second) {
      id = pair.id;
      pairs.distances[static_cast<std::size_t>(pair.query)] = pair.distance;
    }
  return pairs;
}

std::vector<Pair> pairs_of(const Neighbors& rows) {
  std::vector<Pair> all;
  for (std::int64_t i = 0; i < rows.queries * rows.k; ++i)
    if (const auto at = static_cast<std::size_t>(i); rows.ids[at] != -1)
      all.push_back({rows.distances[at], i / rows.k, rows.ids[at]});
  return all;
}

void expect_pairs(const Neighbors& got, const Neighbors& want) {
  EXPECT_EQ(got.queries, want.queries);
  EXPECT_EQ(got.k, 1);
  EXPECT_EQ(got.ids, want.ids);
  EXPECT_EQ(got.distances, want.distances);
}

/// Hard clouds of n points, of which some coincide with points of the other side.
void for_each_case(const std::function<void(const PointsView& data, const PointsView& queries)>& f) {
  std::vector<CloudKind> kinds = all_clouds();
  kinds.insert(kinds.end(), tied_clouds().begin(), tied_clouds().end());
  for (const auto& [name, make] : kinds)
    for (const auto [n, m] : {std::pair(0, 5), {1, 1}, {1, 40}, {40, 1}, {60, 50}, {30, 90}}) {
      SCOPED_TRACE(name + " " + std::to_string(n) + " " + std::to_string(m));
      const Coordinates data = make(n, 2, 1);
      Coordinates queries = make(m, 2, 2);
      for (std::size_t i = 0; i < queries.size() / 2; i += 7)
        if (2 * i + 1 < data.size()) std::copy_n(data.data() + 2 * i, 2, queries.data() + 2 * i);
      f({2, std::span<const float>(data)}, {2, std::span<const float>(queries)});
    }
}

TEST(Pairs, OneToOneIsTheGreedyChoice) {
  for_each_case([](const PointsView& data, const PointsView& queries) {
    for (const int k : {1, 3, 100}) {
      const Neighbors rows = search(data, queries, {.k = k}).neighbors;
      const OneToOnePairs chosen = one_to_one_pairs(rows, data.size());
      expect_pairs(chosen.pairs, greedy(pairs_of(rows), queries.size()));
      if (chosen.cut_off > 0) continue;  // else as if rows had no end
      const Neighbors all = search(data, queries, {.k = 100}).neighbors;
      expect_pairs(chosen.pairs, greedy(pairs_of(all), queries.size()));
    }
  });
}

TEST(Pairs, OneToOneOfLists) {
  for_each_case([](const PointsView& data, const PointsView& queries) {
    for (const double radius : {0.0, 0.05, 10.0}) {
      const NeighborLists lists = search_radius(data, queries, {.radius = radius}).lists;
      std::vector<Pair> all;
      for (std::int64_t query = 0; query < queries.size(); ++query)
        for (std::int64_t i = lists.begins[static_cast<std::size_t>(query)];
             i < lists.begins[static_cast<std::size_t>(query) + 1]; ++i)
          all.push_back({lists.distances[static_cast<std::size_t>(i)], query, lists.ids[static_cast<std::size_t>(i)]});
      const OneToOnePairs chosen = one_to_one_pairs(lists, data.size());
      expect_pairs(chosen.pairs, greedy(all, queries.size()));
      EXPECT_EQ(chosen.cut_off, 0);
    }
  });
  EXPECT_EQ(one_to_one_pairs(NeighborLists(), 5).pairs.queries, 0);
}

TEST(Pairs, OneToOneSaysWhereRowsMayBeTooShort) {
  // Both queries are nearest to point 0; the row of one neighbour leaves nothing to query 1
  const Neighbors rows{2, 1, {0, 0}, {1, 2}};
  EXPECT_EQ(one_to_one_pairs(rows, 2).cut_off, 1);
  EXPECT_EQ(one_to_one_pairs(rows, 1).cut_off, 0) << "there are no other data";
  const Neighbors short_rows{2, 2, {0, -1, 0, -1}, {1, k_infinity, 2, k_infinity}};
  EXPECT_EQ(one_to_one_pairs(short_rows, 9).cut_off, 0) << "the row has an end";
}

TEST(Pairs, MutualAreNearestOfEachOther) {
  for_each_case([](const PointsView& data, const PointsView& queries) {
    const SearchOptions one{.k = 1};
    const Neighbors of_queries = search(data, queries, one).neighbors, of_data = search(queries, data, one).neighbors;
    const Neighbors pairs = mutual_pairs(of_queries, of_data);
    const auto square = [&](std::int64_t query, std::int64_t id) {
      double sum = 0;
      for (int axis = 0; axis < 2; ++axis) sum += std::pow(queries.at(query, axis) - data.at(id, axis), 2);
      return sum;
    };
    for (std::int64_t query = 0; query < queries.size(); ++query) {
      std::int64_t nearest = -1, back = -1;
      for (std::int64_t id = 0; id < data.size(); ++id)
        if (nearest < 0 || square(query, id) < square(query, nearest)) nearest = id;
      for (std::int64_t other = 0; nearest >= 0 && other < queries.size(); ++other)
        if (back < 0 || square(other, nearest) < square(back, nearest)) back = other;
      EXPECT_EQ(pairs.ids[static_cast<std::size_t>(query)], back == query && nearest >= 0 ? nearest : -1);
      if (back == query && nearest >= 0)
        EXPECT_EQ(pairs.distances[static_cast<std::size_t>(query)],
                  of_queries.distances[static_cast<std::size_t>(query)]);
      else
        EXPECT_EQ(pairs.distances[static_cast<std::size_t>(query)], k_infinity);
    }
  });
}

TEST(Pairs, RefuseRowsOfOtherClouds) {
  const std::string other = "pairs: neighbour 5, but there are 2 points: are these the neighbours among other data?";
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [] { mutual_pairs({1, 1, {5}, {1}}, {2, 1, {0, 0}, {1, 1}}); }), other);
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [] { one_to_one_pairs(Neighbors{1, 1, {5}, {1}}, 2); }), other);
  const std::string below = "pairs: neighbour -2, but there are 2 points: are these the neighbours among other data?";
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [] { mutual_pairs({1, 1, {-2}, {1}}, {2, 1, {0, 0}, {1, 1}}); }), below);
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [] { one_to_one_pairs(Neighbors{1, 1, {-2}, {1}}, 2); }), below);
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [] { one_to_one_pairs(NeighborLists{{0, 1}, {-2}, {1}}, 2); }), below);
  EXPECT_EQ(refusal_of(ErrorKind::bad_input,
                       [] {
                         mutual_pairs({1, 2, {0, 1}, {1, 1}}, {2, 1, {0, 0}, {1, 1}});
                       }),
            "pairs: rows of the nearest neighbour alone are needed, not of 2");
}

}  // namespace
}  // namespace kann::test
