// The list of a thread on a device, against std::sort.
#include <algorithm>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/placed_points.hpp"
#include "cuda/thread/nearest_list.cuh"

namespace kann {
namespace {

constexpr int k_threads = 64;

template <int K>
using List = cuda::thread::NearestList<K>;

/// Thread i inserts the first i·keys / (threads − 1) of its row of `keys` keys. d_bounds: of its list; d_has: for each
/// index below `keys`, whether the list has it.
template <int K>
__global__ void insert_kernel(const std::uint64_t* d_keys, int keys, std::uint64_t* d_lists, float* d_bounds,
                              std::uint8_t* d_has) {
  const int i = static_cast<int>(threadIdx.x);
  List<K> list;
  for (int j = 0; j < i * keys / (k_threads - 1); ++j) list.insert(d_keys[i * keys + j]);
  list.store(d_lists + i * K);
  d_bounds[i] = list.bound();
  for (int index = 0; index < keys; ++index) d_has[i * keys + index] = list.has(static_cast<std::uint32_t>(index));
}

/// One thread per list of K keys, in any order.
template <int K>
__global__ void sort_kernel(const std::uint64_t* d_keys, std::uint64_t* d_lists) {
  List<K> list;
  for (int j = 0; j < K; ++j) list.set(j, d_keys[threadIdx.x * K + j]);
  list.sort();
  list.store(d_lists + threadIdx.x * K);
}

template <class Count>
class ThreadNearestList : public test::GpuTest {
 protected:
  static constexpr int K = Count::value;

  /// Rows of `count` keys with the indices 0 … count − 1 in random order and one of `levels` distances each.
  static std::vector<std::uint64_t> random_rows(int count, std::uint64_t levels, std::uint64_t seed) {
    test::Random random(seed);
    std::vector<std::uint64_t> keys;
    for (int row = 0; row < k_threads; ++row) {
      std::vector<std::uint64_t> some;
      for (int index = 0; index < count; ++index)
        some.push_back(test::plain_neighbor_key(0.1f * static_cast<float>(random.below(levels)),
                                                static_cast<std::uint32_t>(index)));
      for (std::size_t j = some.size(); j > 1; --j) std::swap(some[j - 1], some[random.below(j)]);
      keys.insert(keys.end(), some.begin(), some.end());
    }
    return keys;
  }

  static void expect_inserted(int count, std::uint64_t levels) {
    const auto keys = random_rows(count, levels, 66);
    test::Device device;
    const auto d_keys = device.upload(keys);
    const auto d_lists = device.poisoned<std::uint64_t>(k_threads * K);
    const auto d_bounds = device.poisoned<float>(k_threads);
    const auto d_has = device.poisoned<std::uint8_t>(k_threads * count);
    insert_kernel<K>
        <<<1, k_threads, 0, device.stream()>>>(d_keys.data(), count, d_lists.data(), d_bounds.data(), d_has.data());
    cuda::check_launch("insert");
    const auto lists = device.download(d_lists);
    const auto bounds = device.download(d_bounds);
    const auto has = device.download(d_has);
    for (int i = 0; i < k_threads; ++i) {
      const auto row = keys.begin() + i * count;
      const auto right = test::nearest_of({row, row + i * count / (k_threads - 1)}, K);
      ASSERT_TRUE(std::equal(right.begin(), right.end(), lists.begin() + i * K)) << count << " keys, thread " << i;
      const std::uint64_t last = right.back();
      ASSERT_EQ(bounds[i],
                last == test::k_no_neighbor ? INFINITY : std::bit_cast<float>(static_cast<std::uint32_t>(last >> 32)));
      for (int index = 0; index < count; ++index)
        ASSERT_EQ(has[i * count + index], std::ranges::any_of(right,
                                                              [&](std::uint64_t key) {
                                                                return key != test::k_no_neighbor &&
                                                                       static_cast<std::uint32_t>(key) ==
                                                                           std::uint32_t(index);
                                                              }))
            << "thread " << i << " index " << index;
    }
  }

  static void expect_sorted(const std::vector<std::uint64_t>& keys) {
    test::Device device;
    const auto d_keys = device.upload(keys);
    const auto d_lists = device.poisoned<std::uint64_t>(k_threads * K);
    sort_kernel<K><<<1, k_threads, 0, device.stream()>>>(d_keys.data(), d_lists.data());
    cuda::check_launch("sort");
    auto right = keys;
    for (auto row = right.begin(); row != right.end(); row += K) std::sort(row, row + K);
    ASSERT_EQ(device.download(d_lists), right);
  }
};

using Counts =
    testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 4>,
                   std::integral_constant<int, 8>, std::integral_constant<int, 16>, std::integral_constant<int, 32>>;
TYPED_TEST_SUITE(ThreadNearestList, Counts);

TYPED_TEST(ThreadNearestList, KeepsTheNearestOfWhatIsInserted) {
  for (const int count : {1, 2, 31, 63, 65})
    for (const std::uint64_t levels : {1, 3, 1 << 20})  // of distances: ties are decided by the index
      ASSERT_NO_FATAL_FAILURE(this->expect_inserted(count, levels));
}

TYPED_TEST(ThreadNearestList, SortsKeysOfAnyOrder) {
  constexpr int K = TestFixture::K;
  auto keys = this->random_rows(K, 5, 68);
  ASSERT_NO_FATAL_FAILURE(this->expect_sorted(keys));
  for (auto row = keys.begin(); row != keys.end(); row += K) std::sort(row, row + K, std::greater<>());
  ASSERT_NO_FATAL_FAILURE(this->expect_sorted(keys));
  for (auto row = keys.begin(); row != keys.end(); row += K) std::sort(row, row + K);
  ASSERT_NO_FATAL_FAILURE(this->expect_sorted(keys));
}

}  // namespace
}  // namespace kann
