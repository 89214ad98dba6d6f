// The radix sort of warp segments on a device, against std::sort.
#include <algorithm>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/paper/radix_sort.cuh"

namespace kann {

using namespace geometry;

namespace {

/// One thread per key.
template <int L>
__global__ void sort_kernel(NeighborKey* d_keys, int index_bits) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  d_keys[thread] =
      cuda::paper::key_of(cuda::paper::radix_sort<L>(cuda::paper::candidate_of(d_keys[thread]), index_bits));
}

template <class Length>
class RadixSort : public test::GpuTest {
 protected:
  static constexpr int L = Length::value;

  static void expect_sorted(std::vector<NeighborKey> keys, int index_bits) {
    constexpr unsigned block = 256;
    test::Device device;
    const auto d_keys = device.upload(keys);
    sort_kernel<L>
        <<<static_cast<unsigned>(keys.size() / block), block, 0, device.stream()>>>(d_keys.data(), index_bits);
    cuda::check_launch("radix sort");
    const std::vector<NeighborKey> got = device.download(d_keys);
    for (auto segment = keys.begin(); segment != keys.end(); segment += L) std::sort(segment, segment + L);
    ASSERT_EQ(got, keys);
  }
};

using Lengths =
    testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 4>, std::integral_constant<int, 8>,
                   std::integral_constant<int, 16>, std::integral_constant<int, 32>>;
TYPED_TEST_SUITE(RadixSort, Lengths);

constexpr std::size_t k_keys = 4096 * 32;

TYPED_TEST(RadixSort, SortsDistancesOfAllSizes) {
  test::Random random(21);
  std::vector<NeighborKey> keys(k_keys);
  for (NeighborKey& key : keys) {
    const auto bits = static_cast<std::uint32_t>(random.below(0x7f800001));  // 0 to infinity, every exponent
    key = cuda::paper::key_of({bits, static_cast<std::uint32_t>(random.below(1ull << 32))});
  }
  this->expect_sorted(keys, 32);
}

TYPED_TEST(RadixSort, SortsTiesByIndexAndAbsentOnesLast) {
  test::Random random(22);
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
  test::Random random(23);
  std::vector<NeighborKey> keys(k_keys / 8);
  for (NeighborKey& key : keys) key = neighbor_key(static_cast<float>(random.uniform()), 0);
  this->expect_sorted(keys, 0);
}

}  // namespace
}  // namespace kann
