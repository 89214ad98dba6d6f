// Keys sorted by a warp on a device, against std::sort.
#include <algorithm>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/warp/sort.cuh"

namespace kann {
namespace {

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
    test::Random random(91);
    std::vector<Key> keys;
    for (unsigned i = 0; i < k_warps * R * 32; ++i) keys.push_back(make(random.below(levels), i));
    std::sort(keys.begin(), keys.begin() + R * 32);  // one warp has them in order, one in the reverse
    std::sort(keys.begin() + R * 32, keys.begin() + 2 * R * 32, [](const Key& a, const Key& b) { return b < a; });
    test::Device device;
    const auto d_keys = device.upload(keys);
    const auto d_sorted = device.poisoned<Key>(static_cast<std::int64_t>(keys.size()));
    sort_kernel<R><<<k_warps, 32, 0, device.stream()>>>(d_keys.data(), d_sorted.data());
    cuda::check_launch("sort");
    auto right = keys;
    for (auto row = right.begin(); row != right.end(); row += R * 32) std::sort(row, row + R * 32);
    ASSERT_TRUE(device.download(d_sorted) == right) << R << " rows, " << levels << " levels";
  }
}

template <int R>
void expect_both_sorted() {
  expect_sorted<R, std::uint64_t>([](std::uint64_t value, unsigned) { return value; });
  expect_sorted<R, ExactKey>([](std::uint64_t value, unsigned i) {
    return ExactKey({static_cast<double>(value % 1000) * 1e-3, i * 2654435761u});
  });
}

/// The first `rows` of R rows hold keys.
template <int R>
void expect_rows_sorted() {
  for (int rows = 1; rows <= R; ++rows)
    for (const std::uint64_t levels : {2ull, 50ull, 1ull << 32}) {
      test::Random random(92);
      std::vector<std::uint32_t> keys(k_warps * R * 32, ~0u);
      for (unsigned i = 0; i < keys.size(); ++i)
        if (i / 32 % R < static_cast<unsigned>(rows)) keys[i] = static_cast<std::uint32_t>(random.below(levels));
      test::Device device;
      const auto d_keys = device.upload(keys);
      const auto d_sorted = device.poisoned<std::uint32_t>(static_cast<std::int64_t>(keys.size()));
      sort_rows_kernel<R><<<k_warps, 32, 0, device.stream()>>>(d_keys.data(), rows, d_sorted.data());
      cuda::check_launch("sort rows");
      for (auto row = keys.begin(); row != keys.end(); row += R * 32) std::sort(row, row + R * 32);
      ASSERT_TRUE(device.download(d_sorted) == keys) << rows << " of " << R << " rows, " << levels << " levels";
    }
}

/// Different words, of which `share` are any and the others lie in one bin.
std::vector<std::uint32_t> different_words(int count, double share, std::uint64_t seed) {
  test::Random random(seed);
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
  test::Device device;
  auto words = different_words(count, share, 93);
  const auto d_words = device.upload(words);
  const auto d_binned = device.poisoned<std::uint32_t>(std::max(count, 1));
  const auto d_sorts = device.poisoned<int>(1);
  sort_in_bins_kernel<bins><<<1, 32, 0, device.stream()>>>(d_words.data(), count, d_binned.data(), d_sorts.data());
  cuda::check_launch("sort in bins");
  std::vector<int> held(bins);
  for (const std::uint32_t word : words) ++held[static_cast<std::size_t>(std::uint64_t{word} * bins >> 32)];
  const bool sorts = std::all_of(held.begin(), held.end(), [](int n) { return n <= 256; });
  if (sorts) std::sort(words.begin(), words.end());
  EXPECT_EQ(device.download(d_sorts)[0] != 0, sorts) << count << " words, " << bins << " bins, " << share;
  EXPECT_TRUE(device.download(d_words) == words) << count << " words, " << bins << " bins, " << share;
}

class WarpSort : public test::GpuTest {};

TEST_F(WarpSort, OfWordsInBins) {
  for (const int count : {0, 1, 2, 31, 32, 33, 127, 128, 255, 257, 1000, 1343, 4096})
    for (const double share : {0.0, 0.5, 0.9, 1.0}) {
      expect_sorted_in_bins<32>(count, share);
      expect_sorted_in_bins<512>(count, share);
    }
}

TEST_F(WarpSort, OfOneToSixteenKeysPerLane) {
  expect_both_sorted<1>();
  expect_both_sorted<2>();
  expect_both_sorted<4>();
  expect_both_sorted<8>();
  expect_both_sorted<16>();
}

TEST_F(WarpSort, OfSomeRowsOfWords) {
  expect_rows_sorted<1>();
  expect_rows_sorted<2>();
  expect_rows_sorted<4>();
  expect_rows_sorted<8>();
  expect_rows_sorted<16>();
}

}  // namespace
}  // namespace kann
