// What the lanes of a warp do together on a device: reduce, sort and search, against plain loops and std::sort.
#include <algorithm>
#include <limits>

#include "clouds.hpp"
#include "cuda/launch.cuh"
#include "cuda/warp/partition_point.cuh"
#include "cuda/warp/reduce.cuh"
#include "cuda/warp/sort.cuh"

namespace kann::test {
namespace {

struct Minimum {
  template <class T>
  static __device__ T of_warp(T x) {
    return cuda::warp::reduce_min(x);
  }
  template <class T>
  static T of_two(T a, T b) {
    return b < a ? b : a;
  }
};

struct Maximum {
  template <class T>
  static __device__ T of_warp(T x) {
    return cuda::warp::reduce_max(x);
  }
  template <class T>
  static T of_two(T a, T b) {
    return a < b ? b : a;
  }
};

struct Sum {
  static __device__ int of_warp(int x) { return cuda::warp::reduce_add(x); }
  static int of_two(int a, int b) { return a + b; }
};

struct Union {
  static __device__ unsigned of_warp(unsigned x) { return cuda::warp::reduce_or(x); }
  static unsigned of_two(unsigned a, unsigned b) { return a | b; }
};

/// One thread per value.
template <class Operation, class T>
__global__ void reduce_kernel(const T* d_values, T* d_reduced) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  d_reduced[i] = Operation::of_warp(d_values[i]);
}

class WarpReduce : public GpuTest {
 protected:
  /// values.size() is a multiple of 128.
  template <class Operation, class T>
  static void expect_reduced(const std::vector<T>& values) {
    const std::int64_t count = std::ssize(values);
    const std::vector<T> reduced = results_of(count, count / 128, 128, reduce_kernel<Operation, T>, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      T right = values[i / 32 * 32];
      for (std::size_t lane = 1; lane < 32; ++lane) right = Operation::of_two(right, values[i / 32 * 32 + lane]);
      ASSERT_EQ(reduced[i], right) << i;
    }
  }

  template <class T>
  static void expect_minima_and_maxima(const std::vector<T>& values) {
    ASSERT_NO_FATAL_FAILURE((expect_reduced<Minimum>(values)));
    ASSERT_NO_FATAL_FAILURE((expect_reduced<Maximum>(values)));
  }
};

TEST_F(WarpReduce, OfEveryCloud) {
  for (const auto& kind : all_clouds()) {
    const Coordinates values = kind.make(1024, 1, 61);
    std::vector<double> wide;
    for (const float value : values) wide.push_back(value / 3.0);
    ASSERT_NO_FATAL_FAILURE(expect_minima_and_maxima(values)) << kind.name;
    ASSERT_NO_FATAL_FAILURE(expect_minima_and_maxima(wide)) << kind.name;
  }
}

TEST_F(WarpReduce, OfIntegers) {
  Random random(63);
  std::vector<unsigned> bits(128 * 32);
  std::vector<int> numbers;
  for (unsigned& word : bits) {
    word = static_cast<unsigned>(random.below(std::uint64_t{1} << 32));
    numbers.push_back(static_cast<int>(word >> 12) - (1 << 19));  // sums of a warp fit
  }
  ASSERT_NO_FATAL_FAILURE(expect_reduced<Sum>(numbers));
  bits[37] = std::numeric_limits<unsigned>::max();
  numbers[37] = std::numeric_limits<int>::max();
  numbers[70] = std::numeric_limits<int>::lowest();
  ASSERT_NO_FATAL_FAILURE(expect_minima_and_maxima(numbers));
  ASSERT_NO_FATAL_FAILURE(expect_reduced<Maximum>(bits));
  for (unsigned& word : bits) word &= word >> 9 & word >> 18 & word >> 25;  // few bits, so that some are in no lane
  ASSERT_NO_FATAL_FAILURE(expect_reduced<Union>(bits));
}

TEST_F(WarpReduce, WhicheverLaneHoldsIt) {
  for (const float extreme : {-7.0f, 7.0f}) {
    std::vector<float> values(32 * 32, 0.5f);
    for (std::size_t lane = 0; lane < 32; ++lane) values[lane * 32 + lane] = extreme;
    expect_minima_and_maxima(values);
  }
}

TEST_F(WarpReduce, OfInfinitiesTheSmallestFloatsAndBothSigns) {
  using Limits = std::numeric_limits<float>;
  const float odd[] = {Limits::infinity(),
                       -Limits::infinity(),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::min(),
                       -Limits::min(),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       0.0f,
                       1.0f,
                       -1.0f};
  Random random(62);
  std::vector<float> values(128 * 32);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t kinds = 1 + i / 32 % std::size(odd);  // the first few of them per warp
    values[i] = odd[(i / 32 + random.below(kinds)) % std::size(odd)];
  }
  expect_minima_and_maxima(values);
}

using cuda::thread::ExactKey;

/// One warp per 32·R keys.
template <int R, class Key>
__global__ void sort_kernel(const Key* d_keys, Key* d_sorted) {
  Key keys[R];
  for (int r = 0; r < R; ++r) keys[r] = d_keys[(blockIdx.x * R + r) * 32 + threadIdx.x];
  cuda::warp::sort(keys);
  for (int r = 0; r < R; ++r) d_sorted[(blockIdx.x * R + r) * 32 + threadIdx.x] = keys[r];
}

template <int R>
__global__ void sort_rows_kernel(const std::uint32_t* d_keys, int rows, std::uint32_t* d_sorted) {
  std::uint32_t keys[R];
  for (int r = 0; r < R; ++r) keys[r] = d_keys[(blockIdx.x * R + r) * 32 + threadIdx.x];
  cuda::warp::sort_rows(keys, rows);
  for (int r = 0; r < R; ++r) d_sorted[(blockIdx.x * R + r) * 32 + threadIdx.x] = keys[r];
}

/// One block of one warp, which sorts `count` words in place.
template <int bins>
__global__ void sort_in_bins_kernel(std::uint32_t* d_words, int count, std::uint32_t* d_binned, int* d_sorts) {
  __shared__ std::uint32_t s_ends[bins];
  const int sorts = cuda::warp::sort_in_bins(d_words, count, s_ends, d_binned);
  if (threadIdx.x == 0) *d_sorts = sorts;
}

constexpr unsigned k_warps = 40;

template <int R, class Key, class Make>
void expect_sorted(Make make) {
  for (const std::uint64_t levels : {2ull, 50ull, ~0ull >> 1}) {
    Random random(91);
    std::vector<Key> keys;
    for (unsigned i = 0; i < k_warps * R * 32; ++i) keys.push_back(make(random.below(levels), i));
    std::sort(keys.begin(), keys.begin() + R * 32);  // one warp has them in order, one in the reverse
    std::sort(keys.begin() + R * 32, keys.begin() + 2 * R * 32, [](const Key& a, const Key& b) { return b < a; });
    const auto sorted = results_of(std::ssize(keys), k_warps, 32, sort_kernel<R, Key>, keys);
    auto right = keys;
    for (auto row = right.begin(); row != right.end(); row += R * 32) std::sort(row, row + R * 32);
    ASSERT_TRUE(sorted == right) << R << " rows, " << levels << " levels";
  }
}

/// The first `rows` of R rows hold keys.
template <int R>
void expect_rows_sorted() {
  for (int rows = 1; rows <= R; ++rows)
    for (const std::uint64_t levels : {2ull, 50ull, 1ull << 32}) {
      Random random(92);
      std::vector<std::uint32_t> keys(k_warps * R * 32, ~0u);
      for (unsigned i = 0; i < keys.size(); ++i)
        if (i / 32 % R < static_cast<unsigned>(rows)) keys[i] = static_cast<std::uint32_t>(random.below(levels));
      const auto sorted = results_of(std::ssize(keys), k_warps, 32, sort_rows_kernel<R>, keys, rows);
      for (auto row = keys.begin(); row != keys.end(); row += R * 32) std::sort(row, row + R * 32);
      ASSERT_TRUE(sorted == keys) << rows << " of " << R << " rows, " << levels << " levels";
    }
}

/// Different words, of which `share` are any and the others lie in one bin.
std::vector<std::uint32_t> different_words(int count, double share, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> words;
  for (int i = 0; i < count; ++i) {
    const auto high = static_cast<std::uint32_t>(random.below(random.uniform() < share ? 1 << 20 : 16));
    words.push_back(high << 12 | static_cast<std::uint32_t>(i));
  }
  return words;
}

/// Sorts words, and expects that they are sorted, or left as they were if a bin holds more than 256 of them.
template <int bins>
void expect_sorted_in_bins(int count, double share) {
  Device device;
  auto words = different_words(count, share, 93);
  const auto d_words = device.upload(words);
  const auto d_binned = device.poisoned<std::uint32_t>(std::max(count, 1));
  const auto d_sorts = device.poisoned<int>(1);
  launch(device, 1, 32, sort_in_bins_kernel<bins>, d_words, count, d_binned, d_sorts);
  std::vector<int> held(bins);
  for (const std::uint32_t word : words) ++held[static_cast<std::size_t>(std::uint64_t{word} * bins >> 32)];
  const bool sorts = std::all_of(held.begin(), held.end(), [](int n) { return n <= 256; });
  if (sorts) std::sort(words.begin(), words.end());
  EXPECT_EQ(device.download(d_sorts)[0] != 0, sorts) << count << " words, " << bins << " bins, " << share;
  EXPECT_TRUE(device.download(d_words) == words) << count << " words, " << bins << " bins, " << share;
}

class WarpSort : public GpuTest {};

TEST_F(WarpSort, OfWordsInBins) {
  for (const int count : {0, 1, 2, 31, 32, 33, 127, 128, 255, 257, 1000, 1343, 4096})
    for (const double share : {0.0, 0.5, 0.9, 1.0}) {
      expect_sorted_in_bins<32>(count, share);
      expect_sorted_in_bins<512>(count, share);
    }
}

TEST_F(WarpSort, OfOneToSixteenKeysPerLane) {
  for_sizes<1, 2, 4, 8, 16>([](auto rows) {
    expect_sorted<rows(), std::uint64_t>([](std::uint64_t value, unsigned) { return value; });
    expect_sorted<rows(), ExactKey>([](std::uint64_t value, unsigned i) {
      return ExactKey({static_cast<double>(value % 1000) * 1e-3, i * 2654435761u});
    });
  });
}

TEST_F(WarpSort, OfSomeRowsOfWords) {
  for_sizes<1, 2, 4, 8, 16>([](auto rows) { expect_rows_sorted<rows()>(); });
}

class WarpPartitionPoint : public GpuTest {};

/// Places below `boundary` come before.
struct Range {
  std::int64_t begin, end, boundary;
};

/// What a lane finds, and how often it called the predicate, and how often outside of the range.
struct Found {
  std::int64_t place;
  int calls, outside;
};

/// One warp per range.
__global__ void partition_point_kernel(const Range* d_ranges, Found* d_found) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const Range range = d_ranges[i / 32];
  Found found{0, 0, 0};
  found.place = cuda::warp::partition_point(range.begin, range.end, [&](std::int64_t place) {
    ++found.calls;
    found.outside += place < range.begin || place >= range.end;
    return place < range.boundary;
  });
  d_found[i] = found;
}

/// Pads the ranges to whole blocks.
void expect_found(std::vector<Range> ranges) {
  while (ranges.size() % 4 != 0) ranges.push_back({0, 0, 0});
  const std::int64_t lanes = 32 * std::ssize(ranges);
  const auto found = results_of(lanes, lanes / 128, 128, partition_point_kernel, ranges);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Range& range = ranges[i / 32];
    ASSERT_EQ(found[i].place, std::clamp(range.boundary, range.begin, range.end))
        << range.begin << " " << range.end << " lane " << i % 32;
    ASSERT_EQ(found[i].outside, 0);
    // Each look leaves less than 1/32 of the range
    int looks = 0;
    for (std::int64_t size = range.end - range.begin; size > 0; size = size > 32 ? (size + 31) / 32 - 1 : 0) ++looks;
    ASSERT_LE(found[i].calls, looks) << range.end - range.begin;
  }
}

TEST_F(WarpPartitionPoint, IsFoundAtEveryPlaceOfSmallRanges) {
  std::vector<Range> ranges;
  for (const std::int64_t size : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100})
    for (std::int64_t boundary = 0; boundary <= size; ++boundary)
      ranges.push_back({1000, 1000 + size, 1000 + boundary});
  expect_found(ranges);
}

TEST_F(WarpPartitionPoint, IsFoundInLargeRanges) {
  Random random(63);
  std::vector<Range> ranges;
  for (const int exponent : {10, 15, 20, 25, 32, 40})
    for (const int step : {-1, 0, 1})
      for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{7}, std::int64_t{1} << 33}) {
        const std::int64_t size = (std::int64_t{1} << exponent) + step, end = begin + size;
        for (const std::int64_t boundary : {begin, begin + 1, begin + size / 2, end - 1, end})
          ranges.push_back({begin, end, boundary});
        for (int i = 0; i < 20; ++i)
          ranges.push_back(
              {begin, end, begin + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size)))});
      }
  expect_found(ranges);
}

TEST_F(WarpPartitionPoint, IsAnEndWhereAllPlacesAreOnOneSide) {
  expect_found({{5, 50, 0}, {5, 50, 5}, {5, 50, 50}, {5, 50, 99}, {5, 5, 0}, {5, 5, 9}});
}

}  // namespace
}  // namespace kann::test
