#include "cpu/select.hpp"

#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "clouds.hpp"

namespace kann {
namespace {

TEST(Select, KeepsTheSmallestDistinctOverManyMerges) {
  test::Random random(3);
  for (const std::int64_t k : {1, 2, 8, 99, 100, 101, 300}) {
    cpu::Selector selector(k);
    std::vector<NeighborKey> kept(static_cast<std::size_t>(k), k_absent);
    std::set<std::pair<float, std::uint32_t>> all;
    for (int round = 0; round < 5; ++round) {
      std::set<std::uint32_t> indices;  // distinct within a round, repeated between rounds
      while (indices.size() < 120) indices.insert(static_cast<std::uint32_t>(random.below(400)));
      std::vector<std::uint32_t> order(indices.begin(), indices.end());
      std::vector<float> sq_dists;
      for (const auto i : order) sq_dists.push_back(static_cast<float>(i * 37 % 50));  // many ties
      const std::int64_t excluded = round % 2 ? order[5] : -1;
      selector.merge(
          sq_dists.data(), [&](std::int64_t c) { return order[c]; }, 120, excluded, kept.data());
      for (std::size_t c = 0; c < order.size(); ++c)
        if (order[c] != excluded) all.emplace(sq_dists[c], order[c]);

      auto want = all.begin();
      for (std::int64_t j = 0; j < k; ++j) {
        const bool present = want != all.end();
        ASSERT_EQ(kept[j], present ? neighbor_key(want->first, want->second) : k_absent) << "k=" << k << " place " << j;
        if (present) ++want;
      }
    }
  }
}

}  // namespace
}  // namespace kann
