// The lists of a team of queries, on each vector target, against std::set.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <vector>

#include "clouds.hpp"
#include "cpu/on_vector_target.hpp"
#include "cpu/vector/buffer_list-inl.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/lane_lists-inl.hpp"
#include "cpu/vector/names.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

constexpr int k_candidates = 64;
struct Buffers {
  CandidateBuffer<k_candidates> of[k_lanes];
};
using Sets = std::array<std::set<NeighborKey>, k_lanes>;

/// Candidates of every query, of some none, each once; some are in the sets already if they may be.
inline void fill_some(Buffers& buffers, Sets& want, test::Random& random, std::uint64_t ids, bool may_repeat) {
  for (int query = 0; query < k_lanes; ++query) {
    CandidateBuffer<k_candidates>& buffer = buffers.of[query];
    buffer.count = 0;
    std::set<NeighborKey> of_batch;
    for (std::uint64_t i = random.below(2) * random.below(k_candidates + 1); i > 0; --i) {
      const auto id = static_cast<std::uint32_t>(random.below(ids));
      // A point has one distance: 0 and subnormal ones among them
      const float sq_dist = static_cast<float>((id + query) % 40) * (ids % 3 == 0 ? 1e-42f : 0.25f);
      const NeighborKey key = neighbor_key(sq_dist, id);
      if (!of_batch.insert(key).second || (!may_repeat && want[query].count(key))) continue;
      buffer.sq_dists[buffer.count] = sq_dist;
      buffer.ids[buffer.count++] = id;
    }
    want[query].merge(of_batch);
  }
}

/// Every list holds the `size` smallest keys that were inserted into it, each once.
template <class Lists>
void check_lists(std::int64_t size, bool may_repeat) {
  test::Random random(54 + size);
  const auto lists = std::make_unique<Lists>(size);
  const auto buffers = std::make_unique<Buffers>();
  for (int round = 0; round < 20; ++round) {
    Sets want;
    lists->clear();
    for (int batch = 0; batch < round; ++batch) {
      fill_some(*buffers, want, random, 1 + random.below(300), may_repeat);
      lists->insert(buffers->of, may_repeat);
    }
    lists->finish();
    HWY_ALIGN float last[k_lanes];
    lists->last_sq_dists(last);
    lists->write();
    for (int query = 0; query < k_lanes; ++query) {
      std::vector<NeighborKey> sorted(want[query].begin(), want[query].end());
      sorted.resize(std::max<std::size_t>(sorted.size(), static_cast<std::size_t>(size)), k_none);
      for (std::int64_t i = 0; i < size; ++i)
        ASSERT_EQ(lists->list(query)[i], sorted[i]) << "place " << i << " of " << size << ", query " << query;
      ASSERT_EQ(last[query], sq_dist_of(sorted[size - 1]));
    }
  }
}

void check_all_lists() {
  for (const bool may_repeat : {false, true}) {
    for (const std::int64_t size : {1, 2, 7, 8}) ASSERT_NO_FATAL_FAILURE(check_lists<LaneLists<8>>(size, may_repeat));
    for (const std::int64_t size : {9, 16}) ASSERT_NO_FATAL_FAILURE(check_lists<LaneLists<16>>(size, may_repeat));
    for (const std::int64_t size : {17, 32}) ASSERT_NO_FATAL_FAILURE(check_lists<LaneLists<32>>(size, may_repeat));
    for (const std::int64_t size : {33, 64})
      ASSERT_NO_FATAL_FAILURE(check_lists<SeparateLists<RegisterList<64>>>(size, may_repeat));
    ASSERT_NO_FATAL_FAILURE(check_lists<SeparateLists<BufferList<>>>(100, may_repeat));
  }
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(void check_all_lists();)

namespace {

class LaneListsTest : public OnVectorTarget {};

TEST_P(LaneListsTest, HoldTheSmallestKeysOfEveryQueryOnce) { KANN_DISPATCH(check_all_lists)(); }

INSTANTIATE_TEST_SUITE_P(, LaneListsTest, testing::ValuesIn(vector_targets()), vector_target_name);

}  // namespace
}  // namespace kann::cpu
#endif
