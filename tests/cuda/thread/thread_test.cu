// What a thread does by itself on a device: its list of neighbours, the rows that it writes, its binary search and its
// roots, against the standard library and roots of 64-bit precision.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "brute_force.hpp"
#include "clouds.hpp"
#include "cuda/launch.cuh"
#include "cuda/placed_points.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/binary_search.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/thread/nearest_list.cuh"

namespace kann::test {
namespace {

constexpr int k_threads = 64;

template <int K>
using List = cuda::thread::NearestList<K>;

/// A list, its bound, and for each index below 65 whether the list has it.
template <int K>
struct StoredList {
  std::uint64_t keys[K];
  float bound;
  bool has[65];
};

/// Thread i inserts the first i·keys / (threads − 1) of its row of `keys` keys.
template <int K>
__global__ void insert_kernel(const std::uint64_t* d_keys, int keys, StoredList<K>* d_stored) {
  const int i = static_cast<int>(threadIdx.x);
  List<K> list;
  for (int j = 0; j < i * keys / (k_threads - 1); ++j) list.insert(d_keys[i * keys + j]);
  list.store(d_stored[i].keys);
  d_stored[i].bound = list.bound();
  for (std::uint32_t index = 0; index < 65; ++index) d_stored[i].has[index] = list.has(index);
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
class ThreadNearestList : public GpuTest {
 protected:
  static constexpr int K = Count::value;

  /// Rows of `count` keys with the indices 0 … count − 1 in random order and one of `levels` distances each.
  static std::vector<std::uint64_t> random_rows(int count, std::uint64_t levels, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::uint64_t> keys;
    for (int row = 0; row < k_threads; ++row) {
      std::vector<std::uint64_t> some;
      for (int index = 0; index < count; ++index)
        some.push_back(
            plain_neighbor_key(0.1f * static_cast<float>(random.below(levels)), static_cast<std::uint32_t>(index)));
      for (std::size_t j = some.size(); j > 1; --j) std::swap(some[j - 1], some[random.below(j)]);
      keys.insert(keys.end(), some.begin(), some.end());
    }
    return keys;
  }

  static void expect_inserted(int count, std::uint64_t levels) {
    const auto keys = random_rows(count, levels, 66);
    const auto stored = results_of(k_threads, 1, k_threads, insert_kernel<K>, keys, count);
    for (int i = 0; i < k_threads; ++i) {
      const StoredList<K>& list = stored[static_cast<std::size_t>(i)];
      const auto row = keys.begin() + i * count;
      const auto right = nearest_of({row, row + i * count / (k_threads - 1)}, K);
      ASSERT_TRUE(std::equal(right.begin(), right.end(), list.keys)) << count << " keys, thread " << i;
      const std::uint64_t last = right.back();
      ASSERT_EQ(list.bound,
                last == k_no_neighbor ? INFINITY : std::bit_cast<float>(static_cast<std::uint32_t>(last >> 32)));
      for (std::uint32_t index = 0; index < 65; ++index) {
        const auto is_its_key = [&](std::uint64_t key) {
          return key != k_no_neighbor && static_cast<std::uint32_t>(key) == index;
        };
        ASSERT_EQ(list.has[index], std::ranges::any_of(right, is_its_key)) << "thread " << i << " index " << index;
      }
    }
  }

  static void expect_sorted(const std::vector<std::uint64_t>& keys) {
    auto right = keys;
    for (auto row = right.begin(); row != right.end(); row += K) std::sort(row, row + K);
    ASSERT_EQ(results_of(k_threads * K, 1, k_threads, sort_kernel<K>, keys), right);
  }
};

using ListSizes = Sizes<1, 2, 4, 8, 16, 32>;
TYPED_TEST_SUITE(ThreadNearestList, ListSizes);

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

constexpr int k_lists = 32;
constexpr double k_unit = 0.25;

/// Thread i writes its list as row 2·i + 1.
template <int K>
__global__ void write_kernel(const std::uint64_t* d_lists, cuda::ResultRows rows) {
  cuda::thread::NearestList<K> list;
  list.load(d_lists + threadIdx.x * K);
  list.write(rows, 2 * threadIdx.x + 1);
}

template <class Count>
class ThreadWriteRows : public GpuTest {
 protected:
  static constexpr int K = Count::value;

  /// List i holds i % (K + 1) neighbours.
  static std::vector<std::uint64_t> lists() {
    Random random(69);
    std::vector<std::uint64_t> keys(k_lists * K, k_no_neighbor);
    for (int i = 0; i < k_lists; ++i)
      for (int j = 0; j < i % (K + 1); ++j)
        keys[i * K + j] = plain_neighbor_key(static_cast<float>(j) + static_cast<float>(random.uniform()),
                                             static_cast<std::uint32_t>(random.below(1u << 31)));
    return keys;
  }

  static void expect_rows(std::int64_t k) {
    const auto keys = lists();
    Device device;
    const auto d_lists = device.upload(keys);
    const std::int64_t size = (2 * k_lists + 1) * k;
    const auto d_ids = device.poisoned<std::int32_t>(size);
    const auto d_distances = device.poisoned<float>(size);
    const cuda::ResultRows rows{d_ids.data(), d_distances.data(), k, k_unit};
    launch(device, 1, k_lists, write_kernel<K>, d_lists, rows);
    const auto ids = device.download(d_ids);
    const auto distances = device.download(d_distances);

    constexpr auto poison = static_cast<std::int32_t>(0xa5a5a5a5u);
    for (std::int64_t row = 0; row <= 2 * k_lists; ++row)
      for (std::int64_t j = 0; j < k; ++j) {
        const std::int32_t id = ids[row * k + j];
        const float distance = distances[row * k + j];
        if (row % 2 == 0) {  // rows between those that are written
          ASSERT_EQ(id, poison);
          ASSERT_EQ(std::bit_cast<std::int32_t>(distance), poison);
          continue;
        }
        const std::uint64_t key = j < K ? keys[row / 2 * K + j] : k_no_neighbor;
        const bool present = key != k_no_neighbor;
        ASSERT_EQ(id, present ? static_cast<std::int32_t>(key & 0x7fffffffu) : -1) << "k=" << k << " row " << row;
        ASSERT_EQ(distance, present
                                ? static_cast<float>(
                                      std::sqrt(std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32))) * k_unit)
                                : INFINITY)
            << "k=" << k << " row " << row;
      }
  }
};

TYPED_TEST_SUITE(ThreadWriteRows, ListSizes);

TYPED_TEST(ThreadWriteRows, OfEveryWidthThatTheListHolds) {
  for (std::int64_t k = 1; k <= TypeParam::value; ++k) ASSERT_NO_FATAL_FAILURE(this->expect_rows(k));
}

// k of more neighbours than there are points: the list is as long as there are points.
TYPED_TEST(ThreadWriteRows, FillsARowWiderThanTheListWithMissingNeighbors) {
  for (const std::int64_t more : {1, 2, 3, 4, 33}) ASSERT_NO_FATAL_FAILURE(this->expect_rows(TypeParam::value + more));
}

class CountUpTo : public GpuTest {};

struct KeyRange {
  std::uint32_t begin, count;  ///< which keys
  std::uint64_t last;
};

/// One thread per case.
__global__ void count_kernel(const std::uint64_t* d_keys, const KeyRange* d_cases, int cases, std::uint32_t* d_counts) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < cases) d_counts[i] = cuda::thread::count_up_to(d_keys + d_cases[i].begin, d_cases[i].count, d_cases[i].last);
}

TEST_F(CountUpTo, IsTheUpperBound) {
  Random random(64);
  std::vector<std::uint64_t> keys;
  std::vector<KeyRange> cases;
  std::vector<std::uint32_t> right;
  for (const std::uint32_t count : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 255, 256, 257, 1023, 1025})
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{100}, ~std::uint64_t{0}}) {
      std::vector<std::uint64_t> some(count);
      for (auto& key : some) key = random.below(range);
      std::sort(some.begin(), some.end());
      std::vector<std::uint64_t> lasts = {0, 1, range, ~std::uint64_t{0}};
      for (int i = 0; i < 20; ++i) lasts.push_back(random.below(range));
      if (count > 0) lasts.insert(lasts.end(), {some.front(), some.back(), some.back() - 1, some[count / 2]});
      for (const std::uint64_t last : lasts) {
        cases.push_back({static_cast<std::uint32_t>(keys.size()) + 1, count, last});
        right.push_back(static_cast<std::uint32_t>(std::upper_bound(some.begin(), some.end(), last) - some.begin()));
      }
      keys.push_back(0);  // beside the keys lie zeros, which would be counted
      keys.insert(keys.end(), some.begin(), some.end());
      keys.push_back(0);
    }

  const std::int64_t count = std::ssize(cases);
  const auto counts = results_of(count, count / 128 + 1, 128, count_kernel, keys, cases, static_cast<int>(count));
  for (std::size_t i = 0; i < cases.size(); ++i)
    ASSERT_EQ(counts[i], right[i]) << cases[i].count << " keys, case " << i;
}

__global__ void root_kernel(const double* d_sq_dists, std::int64_t count, float* d_roots) {
  const std::int64_t i = cuda::first_element();
  if (i < count) d_roots[i] = cuda::thread::float_root(d_sq_dists[i]);
}

__global__ void count_certain_kernel(const double* d_sq_dists, std::int64_t count, unsigned* d_certain) {
  const std::int64_t i = cuda::first_element();
  if (i < count && cuda::thread::RoughRoot(d_sq_dists[i]).is_certain()) atomicAdd(d_certain, 1u);
}

class FloatRoot : public GpuTest {
 protected:
  static void expect_roots(const std::vector<double>& sq_dists) {
    const std::int64_t count = std::ssize(sq_dists);
    const auto roots = results_of(count, cuda::blocks_for(count), cuda::k_block_threads, root_kernel, sq_dists, count);
    for (std::size_t i = 0; i < sq_dists.size(); ++i) ASSERT_EQ(roots[i], plain_root(sq_dists[i])) << sq_dists[i];
  }
};

TEST_F(FloatRoot, IsTheNearestFloatOfAnyScale) {
  Random random(81);
  std::vector<double> sq_dists{0,
                               std::numeric_limits<double>::denorm_min(),
                               1e-90,
                               1e-80,
                               0x1p-120,
                               0x1p120,
                               0x1p-110,
                               std::nextafter(0x1p-110, 0.0),
                               0x1p-250,
                               std::nextafter(0x1p-250, 0.0),
                               std::numeric_limits<double>::max(),
                               std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 400000; ++i)
    sq_dists.push_back(std::ldexp(1 + random.uniform(), static_cast<int>(random.below(700)) - 400));
  for (int i = 0; i < 400000; ++i)
    sq_dists.push_back(std::ldexp(1 + random.uniform(), static_cast<int>(random.below(30)) - 20));
  expect_roots(sq_dists);
}

// Squares of float32s, of the middles between two of them, and their neighbours by one to three units in the last
// place.
TEST_F(FloatRoot, IsTheNearestFloatBesideTheMiddleOfTwoFloats) {
  Random random(82);
  std::vector<double> sq_dists;
  for (int i = 0; i < 100000; ++i) {
    const float root = std::ldexp(static_cast<float>(1 + random.uniform()), static_cast<int>(random.below(200)) - 130);
    const double next = std::nextafter(root, 1e30f);
    for (const double value : {static_cast<double>(root), (root + next) / 2}) {
      double sq_dist = value * value;
      for (int step = 0; step < 3; ++step) sq_dist = std::nextafter(sq_dist, 0.0);
      for (int step = -3; step <= 3; ++step, sq_dist = std::nextafter(sq_dist, 1e300)) sq_dists.push_back(sq_dist);
    }
  }
  expect_roots(sq_dists);
}

// A row with an uncertain root is searched again, so these must be few at every scale.
TEST_F(FloatRoot, IsCertainOfNearlyAllNumbersInRange) {
  Random random(83);
  constexpr std::int64_t count = 400000;
  std::vector<double> sq_dists;
  for (std::int64_t i = 0; i < count; ++i)
    sq_dists.push_back(std::ldexp(1 + random.uniform(), static_cast<int>(random.below(370)) - 250));
  Device device;
  const auto d_sq_dists = device.upload(sq_dists);
  const auto d_certain = device.upload(std::vector<unsigned>{0});
  launch(device, cuda::blocks_for(count), cuda::k_block_threads, count_certain_kernel, d_sq_dists, count, d_certain);
  EXPECT_GE(device.download(d_certain)[0], count - count / 10000);
}

}  // namespace
}  // namespace kann::test
