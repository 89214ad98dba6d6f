// The nearest candidates of each lane on a device, against std::sort.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/warp/nearest_buffer.cuh"

namespace kann {
namespace {

constexpr int k_lanes = 32;

/// What a lane is left with: candidates, then what it says of those that are not there.
template <int K>
struct Kept {
  int count;
  std::uint32_t numbers[K];
  float above[K], below[K], left_out, last;
};

/// One warp; lane i is offered d_sq_dists[i·count …], whose numbers are their places.
template <int K, int k_capacity>
__global__ void keep_kernel(const float* d_sq_dists, int count, float bound, Kept<K>* d_kept) {
  using Buffer = cuda::warp::NearestBuffer<K, k_capacity>;
  __shared__ typename Buffer::Shared s_shared;
  Buffer buffer(s_shared);
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = 0; i < count; ++i) {
    if (__any_sync(0xffffffffu, !buffer.has_free(1))) buffer.keep_nearest();
    buffer.append_within(bound, d_sq_dists[lane * count + i], static_cast<std::uint32_t>(i));
  }
  Kept<K> kept{};
  kept.last = buffer.keep_nearest();
  kept.count = buffer.count();
  for (int j = 0; j < kept.count; ++j) {
    kept.numbers[j] = buffer.number(j);
    kept.above[j] = buffer.above(j);
    kept.below[j] = buffer.below(j);
  }
  kept.left_out = buffer.left_out();
  d_kept[lane] = kept;
}

/// Lane i has i / 4 · count / 8 candidates at most: the others are NaN. `levels`: how many distances there are.
template <int K, int k_capacity>
void expect_nearest(int count, std::uint64_t levels, float bound) {
  test::Random random(93);
  std::vector<float> sq_dists;
  for (int i = 0; i < k_lanes * count; ++i) {
    const auto value = static_cast<float>(random.below(levels)) * 1e-3f;
    sq_dists.push_back(i % count < (i / count / 4 + 1) * count / 8 ? value : NAN);
  }
  test::Device device;
  const auto d_sq_dists = device.upload(sq_dists);
  const auto d_kept = device.poisoned<Kept<K>>(k_lanes);
  keep_kernel<K, k_capacity><<<1, k_lanes, 0, device.stream()>>>(d_sq_dists.data(), count, bound, d_kept.data());
  cuda::check_launch("keep");
  const auto all = device.download(d_kept);
  for (int lane = 0; lane < k_lanes; ++lane) {
    const float* const own = sq_dists.data() + lane * count;
    std::vector<float> right;
    std::copy_if(own, own + count, std::back_inserter(right), [&](float x) { return x <= bound; });
    std::sort(right.begin(), right.end());
    const Kept<K>& kept = all[static_cast<std::size_t>(lane)];
    const auto size = std::min<std::size_t>(right.size(), K);
    ASSERT_EQ(kept.count, static_cast<int>(size)) << "lane " << lane;
    std::vector<std::uint32_t> numbers(kept.numbers, kept.numbers + size);
    std::sort(numbers.begin(), numbers.end());
    ASSERT_TRUE(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end()) << "lane " << lane;
    for (std::size_t j = 0; j < size; ++j) {
      const float kept_sq_dist = own[kept.numbers[j]];
      ASSERT_TRUE(kept.below[j] <= kept_sq_dist && kept_sq_dist <= kept.above[j]) << "lane " << lane;
      ASSERT_TRUE(kept.below[j] <= right[j] && right[j] <= kept.above[j]) << "lane " << lane << " place " << j;
      ASSERT_LE(kept.above[j] - kept.below[j], right[j] * 0x1p-18f + 0x1p-140f);
    }
    if (right.size() > K) {
      ASSERT_TRUE(kept.left_out <= right[K] && kept.left_out >= right[K] * (1 - 0x1p-18f)) << "lane " << lane;
    } else {
      ASSERT_TRUE(std::isnan(kept.left_out)) << "lane " << lane;
    }
    ASSERT_EQ(kept.last, right.size() < K ? INFINITY : kept.above[K - 1]) << "lane " << lane;
  }
}

template <int K, int k_capacity>
void expect_nearest() {
  for (const int count : {0, 1, K - 1, K, K + 1, k_capacity - 1, k_capacity, k_capacity + 1, 8 * k_capacity})
    for (const std::uint64_t levels : {1ull, 10ull, 1ull << 24})
      for (const float bound : {INFINITY, 0.004f, -1.0f})
        expect_nearest<K, k_capacity>(std::max(count, 0), levels, bound);
}

class NearestBuffer : public test::GpuTest {};

TEST_F(NearestBuffer, KeepsTheNearest) {
  expect_nearest<1, 12>();
  expect_nearest<2, 12>();
  expect_nearest<4, 12>();
  expect_nearest<8, 16>();
  expect_nearest<16, 28>();
}

}  // namespace
}  // namespace kann
