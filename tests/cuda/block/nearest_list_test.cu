// The list of a block on a device, in every size: merges of candidates that come repeatedly, against sort and unique.
#include <algorithm>
#include <cmath>

#include "clouds.hpp"
#include "cuda/block/nearest_list.cuh"
#include "cuda/gpu.hpp"
#include "cuda/placed_points.hpp"

namespace kann {
namespace {

/// A block's work: merges candidates [begin, middle), then [middle, end).
struct Work {
  std::int64_t begin, middle, end;
};

/// One block per list. Lists begin as those of d_initial (null: empty), and go to d_lists and, as row blockIdx.x, to
/// `rows`; d_at: keys at places 0 and K − 1.
template <int K, int Threads>
__global__ void merge_kernel(const std::uint64_t* d_candidates, const Work* d_work, const std::uint64_t* d_initial,
                             std::uint64_t* d_lists, std::uint64_t* d_at, cuda::ResultRows rows) {
  using List = cuda::block::NearestList<K, Threads>;
  __shared__ typename List::Shared s_list;
  List list(s_list);
  const Work work = d_work[blockIdx.x];
  d_initial ? list.load(d_initial + blockIdx.x * K) : list.clear();
  list.merge(work.middle - work.begin, [&](std::int64_t i) { return d_candidates[work.begin + i]; });
  list.merge(work.end - work.middle, [&](std::int64_t i) { return d_candidates[work.middle + i]; });
  if (threadIdx.x < 2) d_at[2 * blockIdx.x + threadIdx.x] = list.at(threadIdx.x == 0 ? 0 : K - 1);
  list.store(d_lists + blockIdx.x * K);
  list.write(rows, blockIdx.x);
}

template <class Size>
class BlockNearestList : public test::GpuTest {
 protected:
  static constexpr int K = Size::value;

  /// Candidates with one of `indices` indices each, many of them repeated, and one in five absent. An index has one
  /// distance.
  static std::vector<std::uint64_t> candidates(std::int64_t count, std::uint64_t indices, test::Random& random) {
    std::vector<std::uint64_t> keys;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::uint32_t>(random.below(indices));
      const float sq_dist = static_cast<float>(index * 2654435761u % 97) * 0.5f;  // with ties
      keys.push_back(random.below(5) == 0 ? test::k_no_neighbor : test::plain_neighbor_key(sq_dist, index));
    }
    return keys;
  }

  /// Rows of k neighbours; `starts`: the lists are not empty before.
  static void expect_merged(std::int64_t k, bool starts) {
    test::Random random(73);
    std::vector<std::uint64_t> keys, initial;
    std::vector<Work> work;
    for (const std::int64_t count : {0, 1, 2, K - 1, K, K + 1, 2 * K + 1, 5 * K})
      for (const std::uint64_t indices : {std::uint64_t{1}, std::uint64_t{K / 2}, std::uint64_t{100} * K}) {
        const auto some = candidates(count, indices, random);
        const auto begin = static_cast<std::int64_t>(keys.size());
        work.push_back({begin, begin + count / 3, begin + count});
        keys.insert(keys.end(), some.begin(), some.end());
        const auto before = test::nearest_of(candidates(starts ? K : 0, indices, random), K);
        initial.insert(initial.end(), before.begin(), before.end());
      }

    test::Device device;
    const auto blocks = static_cast<std::int64_t>(work.size());
    const auto d_candidates = device.upload(keys), d_initial = device.upload(initial);
    const auto d_work = device.upload(work);
    const auto d_lists = device.poisoned<std::uint64_t>(blocks * K), d_at = device.poisoned<std::uint64_t>(blocks * 2);
    const auto d_ids = device.poisoned<std::int32_t>(blocks * k);
    const auto d_distances = device.poisoned<float>(blocks * k);
    cuda::block::with_list(K, [&](auto list_size, auto threads) {
      merge_kernel<list_size(), threads()><<<static_cast<unsigned>(blocks), threads(), 0, device.stream()>>>(
          d_candidates.data(), d_work.data(), starts ? d_initial.data() : nullptr, d_lists.data(), d_at.data(),
          {d_ids.data(), d_distances.data(), k, 0.5});
    });
    cuda::check_launch("merge");
    const auto lists = device.download(d_lists), at = device.download(d_at);
    const auto ids = device.download(d_ids);
    const auto distances = device.download(d_distances);

    for (std::int64_t b = 0; b < blocks; ++b) {
      std::vector<std::uint64_t> all(keys.begin() + work[b].begin, keys.begin() + work[b].end);
      if (starts) all.insert(all.end(), initial.begin() + b * K, initial.begin() + (b + 1) * K);
      std::erase(all, test::k_no_neighbor);
      const auto right = test::nearest_of(all, static_cast<std::size_t>(std::max<std::int64_t>(K, k)));
      ASSERT_TRUE(std::equal(right.begin(), right.begin() + K, lists.begin() + b * K)) << "block " << b;
      ASSERT_EQ(at[2 * b], right[0]);
      ASSERT_EQ(at[2 * b + 1], right[K - 1]);
      for (std::int64_t j = 0; j < k; ++j) {
        const bool present = j < K && right[j] != test::k_no_neighbor;
        ASSERT_EQ(ids[b * k + j], present ? static_cast<std::int32_t>(right[j] & 0x7fffffffu) : -1) << b << " " << j;
        ASSERT_EQ(
            distances[b * k + j],
            present ? std::sqrt(std::bit_cast<float>(static_cast<std::uint32_t>(right[j] >> 32))) * 0.5f : INFINITY);
      }
    }
  }
};

using Sizes =
    testing::Types<std::integral_constant<int, 64>, std::integral_constant<int, 128>, std::integral_constant<int, 256>,
                   std::integral_constant<int, 512>, std::integral_constant<int, 1024>>;
TYPED_TEST_SUITE(BlockNearestList, Sizes);

TYPED_TEST(BlockNearestList, KeepsTheNearestAndDropsRepetitions) { this->expect_merged(TypeParam::value, false); }

TYPED_TEST(BlockNearestList, MergesIntoAListThatHoldsSome) { this->expect_merged(TypeParam::value, true); }

TYPED_TEST(BlockNearestList, WritesRowsOfOtherWidths) {
  for (const std::int64_t k : {TypeParam::value - 1, TypeParam::value / 2 + 1, TypeParam::value + 3})
    ASSERT_NO_FATAL_FAILURE(this->expect_merged(k, false));
}

}  // namespace
}  // namespace kann
