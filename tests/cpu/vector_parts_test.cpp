// The parts that every CPU search is made of, on each vector target: candidate buffers, lists of neighbours, of one
// query and of a team, and the first distances.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <sys/mman.h>
#include <type_traits>
#include <vector>

#include "clouds.hpp"
#include "cpu/on_vector_target.hpp"
#include "cpu/vector/buffer_list-inl.hpp"
#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/lane_lists-inl.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/query_team-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// A gap of NaN stays NaN, so that no box is near.
void check_gaps() {
  const auto gap = [](float from) { return hn::GetLane(larger_or_nan(hn::Zero(Floats()), hn::Set(Floats(), from))); };
  EXPECT_TRUE(std::isnan(gap(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(gap(-1), 0);
  EXPECT_EQ(gap(2), 2);
}

/// Every mask appends its lanes, in their order, behind what is there.
void check_candidate_buffer() {
  constexpr int capacity = 64;
  test::Random random(51);
  for (int round = 0; round < 200; ++round) {
    CandidateBuffer<capacity> buffer;
    std::vector<std::pair<float, std::uint32_t>> want;
    while (want.size() + k_lanes <= capacity) {
      HWY_ALIGN float sq_dists[k_lanes];
      HWY_ALIGN std::uint32_t ids[k_lanes];
      const std::uint64_t limit = random.below(5);
      for (int i = 0; i < k_lanes; ++i) {
        sq_dists[i] = static_cast<float>(random.below(4));
        ids[i] = static_cast<std::uint32_t>(random.below(1u << 31));
        if (sq_dists[i] <= static_cast<float>(limit) - 1) want.emplace_back(sq_dists[i], ids[i]);
      }
      const auto v = hn::Load(Floats(), sq_dists);
      const auto mask = hn::Le(v, hn::Set(Floats(), static_cast<float>(limit) - 1));
      buffer.count = buffer.append(buffer.count, v, hn::Load(Unsigned(), ids), mask);
      if (limit == 0) break;  // nothing was appended, and nothing may be
    }
    ASSERT_EQ(buffer.count, static_cast<std::int64_t>(want.size()));
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(buffer.sq_dists[i], want[i].first);
      ASSERT_EQ(buffer.ids[i], want[i].second);
    }
  }
}

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

/// A list of one query, used as those of a team are.
template <class List>
struct OneList {
  explicit OneList(std::int64_t size) : of(size) {}

  void clear() { of.clear(); }
  void insert(const CandidateBuffer<k_candidates> (&candidates)[k_lanes], bool may_repeat) {
    of.insert(candidates[0], may_repeat);
  }
  void finish() { of.finish(); }
  void last_sq_dists(float* to) const { to[0] = of.last_sq_dist(); }
  void write() { keys = of.write(memory); }
  const NeighborKey* list(int) const { return keys; }

  List of;
  HWY_ALIGN NeighborKey memory[List::k_capacity];
  const NeighborKey* keys = nullptr;
};

/// Every list holds the `size` smallest keys that were inserted into it, each once, against std::set.
template <class Lists>
void check_lists(std::int64_t size, bool may_repeat) {
  constexpr bool is_one = requires(Lists lists) { lists.of; };
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
    for (int query = 0; query < (is_one ? 1 : k_lanes); ++query) {
      std::vector<NeighborKey> sorted(want[query].begin(), want[query].end());
      sorted.resize(std::max<std::size_t>(sorted.size(), static_cast<std::size_t>(size)), k_none);
      for (std::int64_t i = 0; i < size; ++i)
        ASSERT_EQ(lists->list(query)[i], sorted[i]) << "place " << i << " of " << size << ", query " << query;
      ASSERT_EQ(last[query], sq_dist_of(sorted[size - 1]));
      if constexpr (is_one) {
        ASSERT_EQ(hn::GetLane(lists->of.bound()), sq_dist_of(sorted[size - 1]));
        ASSERT_EQ(hn::GetLane(lists->of.last_id()), neighbor_id(sorted[size - 1]));
      }
    }
  }
}

void check_all_lists() {
  const auto check = []<class Lists>(std::type_identity<Lists>, std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes)
      for (const bool may_repeat : {false, true}) ASSERT_NO_FATAL_FAILURE(check_lists<Lists>(size, may_repeat));
  };
  check(std::type_identity<OneList<RegisterList<8>>>(), {1, 2, 7, 8});
  check(std::type_identity<OneList<RegisterList<32>>>(), {1, 9, 16, 17, 31, 32});
  check(std::type_identity<OneList<BufferList<>>>(), {1, 33, 100, 257});
  check(std::type_identity<LaneLists<8>>(), {1, 2, 7, 8});
  check(std::type_identity<LaneLists<16>>(), {9, 16});
  check(std::type_identity<LaneLists<32>>(), {17, 32});
  check(std::type_identity<SeparateLists<RegisterList<64>>>(), {33, 64});
  check(std::type_identity<SeparateLists<BufferList<>>>(), {100});
}

/// Bounds are the size-th smallest distance where size ≤ 8, and at least that above; nothing else gets into a row.
void check_first_distances() {
  for (const std::int64_t n : {1, 2, 7, 8, 15, 16, 17, 48, 191, 192})
    for (const auto& kind : test::all_clouds()) {
      const auto c = kind.make(n, 3, 53);
      Placed<3> points;
      points.resize(n);
      for (std::int64_t i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a) points.axes[a][i] = c[i * 3 + a];
      const std::int64_t team = std::max(k_lanes, 16);
      FirstDistances<3> first(team, n);
      for (std::int64_t i = 0; i < team; ++i)
        first.fill(i, QueryVectors<3>(points.view(), i % n).axes, points.view(), 0, n, i % 2 ? i % n : -1);
      for (const std::int64_t size : {1, 8, 9, 32, 33, 64, 100}) {
        if (size > first.columns()) continue;
        std::vector<float> bounds(static_cast<std::size_t>(team) + k_lanes);
        FirstDistances<3> copy(team, n);
        for (std::int64_t i = 0; i < team; ++i)
          copy.fill(i, QueryVectors<3>(points.view(), i % n).axes, points.view(), 0, n, i % 2 ? i % n : -1);
        HWY_ALIGN float out[64];
        copy.find_bounds(team, size, out);
        for (std::int64_t i = 0; i < team; ++i) {
          std::vector<float> want;
          for (std::int64_t p = 0; p < n; ++p)
            if (!(i % 2 && p == i % n)) want.push_back(sq_distance<3>(&c[i % n * 3], &c[p * 3]));
          std::sort(want.begin(), want.end());
          const bool enough = static_cast<std::int64_t>(want.size()) >= size;
          const float exact =
              enough ? std::min(want[size - 1], std::numeric_limits<float>::max()) : std::numeric_limits<float>::max();
          if (size <= 8 || !enough) {
            ASSERT_EQ(out[i], exact) << kind.name << " n=" << n << " size=" << size;
            continue;
          }
          ASSERT_GE(out[i], exact) << kind.name << " n=" << n << " size=" << size;
          if (size <= 32) continue;
          // By counting: of what is finite, and not many more than wanted
          ASSERT_LE(out[i], std::min(want.back(), std::numeric_limits<float>::max())) << kind.name << " n=" << n;
          if (std::string(kind.name) == "uniform") {
            const auto within = std::upper_bound(want.begin(), want.end(), out[i]) - want.begin();
            ASSERT_LE(within, size + size / 4) << "n=" << n << " size=" << size;
          }
        }
      }
    }
}

/// Places beside the last of 2³¹ − 1 points do not wrap. All points are one: pages that nobody wrote.
void check_last_places() {
  constexpr std::int64_t n = std::numeric_limits<std::int32_t>::max();
  constexpr std::size_t bytes = (static_cast<std::size_t>(n) + 64) * sizeof(float);
  void* const zeros = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros == MAP_FAILED) GTEST_SKIP() << "no 8 GiB of address space";
  PlacedView<3> points;
  points.count = n;
  points.axes.fill(static_cast<const float*>(zeros));
  points.ids = static_cast<const std::uint32_t*>(zeros);
  FirstDistances<3> first(1, 48);
  constexpr std::int64_t count = 41;
  first.fill(0, QueryVectors<3>(points, 0).axes, points, n - count, count, n - 3);
  for (std::int64_t i = 0; i < first.columns(); ++i)
    EXPECT_EQ(first.row(0)[i], i < count && i != count - 3 ? 0 : std::numeric_limits<float>::infinity()) << i;
  munmap(zeros, bytes);
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(void check_gaps(); void check_candidate_buffer(); void check_all_lists();
                    void check_first_distances(); void check_last_places();)

namespace {

class VectorParts : public OnVectorTarget {};

TEST_P(VectorParts, AGapOfNaNIsNaN) { KANN_DISPATCH(check_gaps)(); }
TEST_P(VectorParts, ACandidateBufferAppendsTheLanesOfAMask) { KANN_DISPATCH(check_candidate_buffer)(); }
TEST_P(VectorParts, ListsHoldTheSmallestKeysOfEveryQueryOnce) { KANN_DISPATCH(check_all_lists)(); }
TEST_P(VectorParts, TheFirstDistancesBoundTheNeighbours) { KANN_DISPATCH(check_first_distances)(); }
TEST_P(VectorParts, TheLastPlacesOfTheLargestCloudDoNotWrap) { KANN_DISPATCH(check_last_places)(); }

INSTANTIATE_TEST_SUITE_P(, VectorParts, testing::ValuesIn(vector_targets()), vector_target_name);

}  // namespace
}  // namespace kann::cpu
#endif
