// What a warp sorts and keeps in `paper`, on a device: the radix sort of its segments against std::sort, and the k
// nearest of several rounds of candidates against sort and unique of all that were seen.
#include <algorithm>
#include <numeric>

#include "clouds.hpp"
#include "cuda/launch.cuh"
#include "cuda/paper/radix_sort.cuh"
#include "cuda/paper/top_k.cuh"

namespace kann::test {
namespace {

using geometry::k_absent, geometry::neighbor_key, geometry::NeighborKey;

/// One thread per key.
template <int L>
__global__ void sort_kernel(const NeighborKey* d_keys, int index_bits, NeighborKey* d_sorted) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  d_sorted[thread] =
      cuda::paper::key_of(cuda::paper::radix_sort<L>(cuda::paper::candidate_of(d_keys[thread]), index_bits));
}

template <class Length>
class RadixSort : public GpuTest {
 protected:
  static constexpr int L = Length::value;

  static void expect_sorted(std::vector<NeighborKey> keys, int index_bits) {
    const auto got = results_of(std::ssize(keys), std::ssize(keys) / 256, 256, sort_kernel<L>, keys, index_bits);
    for (auto segment = keys.begin(); segment != keys.end(); segment += L) std::sort(segment, segment + L);
    ASSERT_EQ(got, keys);
  }
};

using Lengths = Sizes<2, 4, 8, 16, 32>;
TYPED_TEST_SUITE(RadixSort, Lengths);

constexpr std::size_t k_keys = 4096 * 32;

TYPED_TEST(RadixSort, SortsDistancesOfAllSizes) {
  Random random(21);
  std::vector<NeighborKey> keys(k_keys);
  for (NeighborKey& key : keys) {
    const auto bits = static_cast<std::uint32_t>(random.below(0x7f800001));  // 0 to infinity, every exponent
    key = cuda::paper::key_of({bits, static_cast<std::uint32_t>(random.below(1ull << 32))});
  }
  this->expect_sorted(keys, 32);
}

TYPED_TEST(RadixSort, SortsTiesByIndexAndAbsentOnesLast) {
  Random random(22);
  for (const int index_bits : {1, 7, 20, 31}) {
    std::vector<NeighborKey> keys(k_keys / 4);
    for (NeighborKey& key : keys)
      key = random.below(4) == 0 ? k_absent
                                 : neighbor_key(0.25f * static_cast<float>(random.below(3)),
                                                static_cast<std::uint32_t>(random.below(1ull << index_bits)));
    this->expect_sorted(keys, index_bits);
  }
}

TYPED_TEST(RadixSort, PutsAbsentAfterInfinity) {
  std::vector<NeighborKey> keys(256);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = i % 2 == 0 ? k_absent : neighbor_key(INFINITY, static_cast<std::uint32_t>(i));
  this->expect_sorted(keys, 8);
}

TYPED_TEST(RadixSort, NeedsNoIndexBitsWhereAllIndicesAreZero) {
  Random random(23);
  std::vector<NeighborKey> keys(k_keys / 8);
  for (NeighborKey& key : keys) key = neighbor_key(static_cast<float>(random.uniform()), 0);
  this->expect_sorted(keys, 0);
}

/// One thread per lane: the rounds of a segment one after another, like the shifts of a search.
/// d_candidates: `rounds` × lanes keys; d_best: one key per lane.
template <int k>
__global__ void rounds_kernel(const NeighborKey* d_candidates, int rounds, unsigned lanes, int index_bits,
                              NeighborKey* d_best) {
  const unsigned lane = blockIdx.x * blockDim.x + threadIdx.x;
  const cuda::paper::TopK<k> top_k(index_bits);
  cuda::paper::Candidate best = top_k.first(cuda::paper::candidate_of(d_candidates[lane]));
  for (int round = 1; round < rounds; ++round) {
    const NeighborKey key = d_candidates[static_cast<std::size_t>(round) * lanes + lane];
    // The upper half of a segment may hold anything in `best`.
    if (lane % (2 * k) >= k) best = {key == k_absent ? 0 : static_cast<std::uint32_t>(round), 0};
    best = top_k.merge(best, cuda::paper::candidate_of(key));
  }
  d_best[lane] = cuda::paper::key_of(best);
}

template <class Count>
class TopK : public GpuTest {
 protected:
  static constexpr int k = Count::value, segment = 2 * k;
  static constexpr unsigned lanes = 2048 * 32;
  static constexpr int rounds = 5;

  /// In each round a segment gets 2k of `ids` indices, each at most once; `distances` levels make the ties; one in
  /// `absent` is absent.
  static void expect_nearest(std::uint32_t ids, std::uint64_t distances, std::uint64_t absent, std::uint64_t seed) {
    Random random(seed);
    std::vector<NeighborKey> candidates(rounds * lanes);
    std::vector<std::uint32_t> order(ids);
    for (unsigned first = 0; first < lanes; first += segment) {
      const std::uint64_t salt = random.below(1000);
      for (int round = 0; round < rounds; ++round) {
        std::iota(order.begin(), order.end(), 0u);
        for (int i = 0; i < segment; ++i) {
          std::swap(order[i], order[i + random.below(ids - i)]);
          const std::uint64_t level = (order[i] * 2654435761u + salt) % distances;  // an index has one distance
          candidates[round * lanes + first + i] =
              random.below(absent) == 0 ? k_absent : neighbor_key(0.1f * static_cast<float>(level), order[i]);
        }
      }
    }

    const int index_bits = 32 - __builtin_clz(ids - 1);
    const auto best = results_of(lanes, lanes / 256, 256, rounds_kernel<k>, candidates, rounds, lanes, index_bits);

    std::vector<NeighborKey> seen;
    for (unsigned first = 0; first < lanes; first += segment) {
      seen.clear();
      for (int round = 0; round < rounds; ++round) {
        const auto begin = candidates.begin() + round * lanes + first;
        seen.insert(seen.end(), begin, begin + segment);
      }
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      seen.resize(seen.size() + k, k_absent);
      for (int i = 0; i < k; ++i)
        ASSERT_EQ(best[first + i], seen[i]) << "segment " << first / segment << " place " << i;
    }
  }
};

using Counts = Sizes<1, 2, 4, 8, 16>;
TYPED_TEST_SUITE(TopK, Counts);

TYPED_TEST(TopK, OfNewCandidatesInEveryRound) { this->expect_nearest(1 << 12, 1 << 20, 1000, 31); }

// The rounds share most of their indices, as the windows of shifted orders do.
TYPED_TEST(TopK, CountsARepeatedNeighbourOnce) { this->expect_nearest(3 * TestFixture::k, 1 << 20, 1000, 32); }

TYPED_TEST(TopK, BreaksTiesByIndex) { this->expect_nearest(5 * TestFixture::k, 3, 1000, 33); }

TYPED_TEST(TopK, OfEqualDistances) { this->expect_nearest(4 * TestFixture::k, 1, 1000, 34); }

TYPED_TEST(TopK, LeavesTheRestAbsent) { this->expect_nearest(2 * TestFixture::k, 5, 2, 35); }

TYPED_TEST(TopK, OfAbsentCandidatesAlone) { this->expect_nearest(2 * TestFixture::k, 5, 1, 36); }

}  // namespace
}  // namespace kann::test
