// Sets of points that threads unite: the same in any order, with the smallest number at the root.
#include "problem/disjoint_sets.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "base/threads/parallel.hpp"
#include "clouds.hpp"

namespace kann::test {
namespace {

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The smallest number that each number reaches, by passing it on along the edges until nothing changes.
std::vector<std::int64_t> smallest_reached(std::int64_t n, const Edges& edges) {
  std::vector<std::int64_t> smallest;
  for (std::int64_t i = 0; i < n; ++i) smallest.push_back(i);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const auto& [a, b] : edges) {
      const std::int64_t both = std::min(smallest[a], smallest[b]);
      has_changed |= smallest[a] != both || smallest[b] != both;
      smallest[a] = smallest[b] = both;
    }
  }
  return smallest;
}

TEST(DisjointSets, AreThoseOfTheGraph) {
  for (const std::int64_t n : {1, 2, 3, 64, 1000, 4097})
    for (const std::int64_t degree : {0, 1, 2, 5})
      for (const int threads : {1, 2, 4}) {
        Random random(static_cast<std::uint64_t>(n + degree));
        Edges edges;
        for (std::int64_t i = 0; i < n * degree / 2; ++i)
          edges.emplace_back(random.below(static_cast<std::uint64_t>(n)), random.below(static_cast<std::uint64_t>(n)));
        problem::DisjointSets sets(n);
        base::parallel_chunks(std::ssize(edges), 7, threads, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) sets.unite(edges[i].first, edges[i].second);
        });
        const std::vector<std::int64_t> want = smallest_reached(n, edges);
        for (std::int64_t i = 0; i < n; ++i) {
          ASSERT_EQ(sets.find(i), want[i]) << n << ' ' << degree << ' ' << threads;
          EXPECT_LE(sets.parents()[i], i);
          EXPECT_EQ(sets.are_united(i, 0), want[i] == 0);
        }
      }
}

/// Long paths, whose ends all threads unite at once.
TEST(DisjointSets, OfAChainAreOne) {
  constexpr std::int64_t n = 100'000;
  for (const bool is_upward : {false, true}) {
    problem::DisjointSets sets(n);
    base::parallel_chunks(n - 1, 16, 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t link = is_upward ? i : n - 2 - i;
        sets.unite(link, link + 1);
      }
    });
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(sets.find(i), 0);
  }
}

}  // namespace
}  // namespace kann::test
