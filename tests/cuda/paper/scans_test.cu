// The scans of `paper` on a device, against std::exclusive_scan: of blocks, of segments of a warp, and in a single pass
// over an array, for its types, sizes, alignments, what lies around the output, and races.
#include <algorithm>
#include <numeric>
#include <random>

#include "clouds.hpp"
#include "cuda/launch.cuh"
#include "cuda/paper/block_scan.cuh"
#include "cuda/paper/segmented_scan.cuh"
#include "cuda/paper/single_pass_scan.cuh"
#include "segments.hpp"

namespace kann::test {
namespace {

/// One value per thread; one total per block.
template <class Scan, class T>
__global__ void block_scan_kernel(const T* d_values, T* d_sums, T* d_totals) {
  __shared__ typename Scan::Storage s_storage;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  T total;
  d_sums[thread] = Scan::exclusive_sum(s_storage, d_values[thread], total);
  if (threadIdx.x == blockDim.x - 1) d_totals[blockIdx.x] = total;
}

template <class T, int threads_>
struct BlockScanOf {
  using Value = T;
  using Scan = cuda::paper::BlockScan<T, threads_>;
  static constexpr unsigned threads = threads_;
};

template <class Variant>
class BlockScan : public GpuTest {};

using BlockScans = testing::Types<BlockScanOf<std::uint32_t, 32>, BlockScanOf<std::uint32_t, 96>,
                                  BlockScanOf<std::uint32_t, 256>, BlockScanOf<std::uint64_t, 1024>>;
TYPED_TEST_SUITE(BlockScan, BlockScans);

TYPED_TEST(BlockScan, IsTheExclusiveSumOfEachBlock) {
  using T = typename TypeParam::Value;
  constexpr unsigned threads = TypeParam::threads, blocks = 64;
  Random random(41);
  std::vector<T> values(blocks * threads);
  for (T& value : values) value = static_cast<T>(random.below(1ull << 32));  // 32-bit sums wrap

  Device device;
  const auto d_values = device.upload(values);
  const auto d_sums = device.poisoned<T>(blocks * threads), d_totals = device.poisoned<T>(blocks);
  launch(device, blocks, threads, block_scan_kernel<typename TypeParam::Scan, T>, d_values, d_sums, d_totals);
  const std::vector<T> sums = device.download(d_sums), totals = device.download(d_totals);

  std::vector<T> right(threads);
  for (unsigned block = 0; block < blocks; ++block) {
    const auto begin = values.begin() + block * threads, end = begin + threads;
    std::exclusive_scan(begin, end, right.begin(), T{0});
    const std::vector<T> got(sums.begin() + block * threads, sums.begin() + (block + 1) * threads);
    ASSERT_EQ(got, right) << "block " << block;
    ASSERT_EQ(totals[block], std::reduce(begin, end, T{0})) << "block " << block;
  }
}

class SegmentedScan : public GpuTest {};

constexpr int k_block = 128;  // four warps: lanes are not thread numbers

/// One thread per lane; one word of `d_bits` and of `d_heads` per warp.
__global__ void scan_kernel(const unsigned* d_bits, const unsigned* d_heads, unsigned* d_sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const bool p = d_bits[thread / 32] >> (thread % 32) & 1;
  d_sums[thread] = cuda::paper::segmented_scan(p, d_heads[thread / 32]);
}

TEST_F(SegmentedScan, IsRightForSegmentsOfEveryLengthAndOfRandomOnes) {
  Random random(12);
  std::vector<unsigned> heads(16384), bits(heads.size());
  for (std::size_t warp = 0; warp < heads.size(); ++warp) {
    heads[warp] = warp % 2 == 0 ? heads_of_length(1 + static_cast<int>(warp / 2 % 32)) : random_heads(random);
    bits[warp] = random_bits(random);
  }
  heads[0] = 0;            // lane 0 is a head without a flag
  heads[1] = 0x80000000u;  // only lane 31 has one
  bits[0] = bits[1] = 0xffffffffu;

  const std::int64_t lanes = 32 * std::ssize(heads);
  const std::vector<unsigned> sums = results_of(lanes, lanes / k_block, k_block, scan_kernel, bits, heads);
  for (std::size_t warp = 0; warp < heads.size(); ++warp) {
    const std::vector<unsigned> got(sums.begin() + 32 * warp, sums.begin() + 32 * (warp + 1));
    ASSERT_EQ(got, segmented_sums(bits[warp], heads[warp])) << "warp " << warp << " heads " << heads[warp];
  }
}

template <class In_, class Out_>
struct Scan {
  using In = In_;
  using Out = Out_;
};

using Scans = testing::Types<Scan<std::uint32_t, std::uint32_t>, Scan<std::uint8_t, std::uint32_t>,
                             Scan<std::uint32_t, std::uint64_t>, Scan<std::uint8_t, std::uint64_t>>;

constexpr std::int64_t k_guard = 64;  // values on both sides of the output that must stay poisoned

template <class T>
constexpr T k_poison = static_cast<T>(0xa5a5a5a5a5a5a5a5u);

/// The storage of a scan.
cuda::Buffer<std::byte> storage_for(Device& device, std::int64_t n) {
  return device.poisoned<std::byte>(static_cast<std::int64_t>(cuda::paper::single_pass_scan_bytes(n)));
}

template <class Scan>
class SinglePassScan : public GpuTest {
 protected:
  using In = typename Scan::In;
  using Out = typename Scan::Out;

  static std::vector<In> random_values(std::int64_t n) {
    std::vector<In> values(static_cast<std::size_t>(n));
    std::mt19937_64 engine(51);
    for (In& value : values) value = static_cast<In>(engine());  // the whole range, so that 32-bit sums wrap
    return values;
  }

  static void queue(Device& device, const cuda::Buffer<std::byte>& storage, const In* d_in, Out* d_out, std::int64_t n,
                    Out* d_total) {
    cuda::paper::single_pass_exclusive_sum(storage.data(), static_cast<std::size_t>(storage.size()), d_in, d_out, n,
                                           d_total, device.stream());
  }

  /// Input and output begin `in_offset` and `out_offset` elements after an aligned address.
  static void expect_exclusive_sum(const std::vector<In>& values, std::int64_t in_offset = 0,
                                   std::int64_t out_offset = 0) {
    const auto n = static_cast<std::int64_t>(values.size());
    std::vector<In> shifted(static_cast<std::size_t>(in_offset), In{1});
    shifted.insert(shifted.end(), values.begin(), values.end());
    Device device;
    const auto d_in = device.upload(shifted);
    const auto d_out = device.poisoned<Out>(k_guard + out_offset + n + k_guard);
    const auto d_total = device.poisoned<Out>(1);
    queue(device, storage_for(device, n), d_in.data() + in_offset, d_out.data() + k_guard + out_offset, n,
          d_total.data());
    const std::vector<Out> got = device.download(d_out);
    std::vector<Out> right(got.size(), k_poison<Out>);
    std::exclusive_scan(values.begin(), values.end(), right.begin() + k_guard + out_offset, Out{0});
    ASSERT_TRUE(got == right) << n << " elements, first difference at "
                              << std::ranges::mismatch(right, got).in1 - right.begin() - k_guard - out_offset;
    ASSERT_EQ(device.download(d_total)[0], std::accumulate(values.begin(), values.end(), Out{0})) << n;
  }

  static void expect_exclusive_sums_around(std::int64_t n) {
    for (const std::int64_t step : {-1, 0, 1}) ASSERT_NO_FATAL_FAILURE(expect_exclusive_sum(random_values(n + step)));
  }

  /// A race shows as a run that differs.
  static void expect_the_same_each_time(std::int64_t n) {
    Device device;
    const std::vector<In> values = random_values(n);
    std::vector<Out> right(values.size() + k_guard, k_poison<Out>);
    std::exclusive_scan(values.begin(), values.end(), right.begin(), Out{0});
    const auto d_in = device.upload(values);
    const auto storage = storage_for(device, n);
    for (int i = 0; i < 51; ++i) {
      const auto d_out = device.poisoned<Out>(n + k_guard);
      queue(device, storage, d_in.data(), d_out.data(), n, nullptr);
      ASSERT_TRUE(device.download(d_out) == right) << "run " << i;
    }
  }
};

template <class Scan>
class SinglePassScanLarge : public SinglePassScan<Scan> {};

TYPED_TEST_SUITE(SinglePassScan, Scans);
TYPED_TEST_SUITE(SinglePassScanLarge, Scans);

TYPED_TEST(SinglePassScan, IsTheExclusiveSumAtAllSizes) {
  for (const std::int64_t n : {1, 16, 32, 512}) ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sums_around(n));
  for (int exponent = 6; exponent <= 20; ++exponent)
    ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sums_around(std::int64_t{1} << exponent));
  for (const std::int64_t tiles : {1, 2, 31, 32, 33, 34, 65})  // a look-back reads windows of 32 tiles
    ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sums_around(tiles * cuda::paper::k_scan_tile));
}

TYPED_TEST(SinglePassScan, CountsOnes) { this->expect_exclusive_sum(std::vector<typename TypeParam::In>(100000, 1)); }

TYPED_TEST(SinglePassScan, TakesArraysOfAnyAlignment) {
  const auto values = this->random_values(3 * cuda::paper::k_scan_tile + 5);
  for (const std::int64_t in_offset : {0, 1, 2, 3, 4})
    for (const std::int64_t out_offset : {0, 1, 2, 3})
      ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sum(values, in_offset, out_offset));
}

TYPED_TEST(SinglePassScan, GivesTheSameSumsFiftyTimes) { this->expect_the_same_each_time((1 << 17) + 7); }

TYPED_TEST(SinglePassScanLarge, IsTheExclusiveSumOfManyValues) {
  for (int exponent = 21; exponent <= 24; ++exponent)
    ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sums_around(std::int64_t{1} << exponent));
  this->expect_exclusive_sum(this->random_values(std::int64_t{1} << 28));
}

// Some 4,000 tiles: several times what is resident at once.
TYPED_TEST(SinglePassScanLarge, GivesTheSameSumsFiftyTimes) { this->expect_the_same_each_time((1 << 24) + 7); }

TYPED_TEST(SinglePassScanLarge, CountsOnes) {
  this->expect_exclusive_sum(std::vector<typename TypeParam::In>((std::int64_t{1} << 28) + 1, 1));
}

using SinglePassScanInPlace = SinglePassScan<Scan<std::uint32_t, std::uint32_t>>;

TEST_F(SinglePassScanInPlace, MayOverwriteItsInput) {
  for (const std::int64_t n : {1, 4096, 100001}) {
    const auto values = random_values(n);
    Device device;
    const auto d_values = device.upload(values);
    queue(device, storage_for(device, n), d_values.data(), d_values.data(), n, nullptr);
    std::vector<std::uint32_t> right(values.size());
    std::exclusive_scan(values.begin(), values.end(), right.begin(), 0u);
    ASSERT_TRUE(device.download(d_values) == right) << n;
  }
}

}  // namespace
}  // namespace kann::test
