// The scans of `paper` on a device, against std::exclusive_scan and cub::DeviceScan: of blocks, of segments of a warp,
// and in a single pass over an array, for its types, sizes, alignments, what lies around the output, and races.
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <numeric>
#include <span>

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

/// heads.size() is a multiple of the warps of a block.
void expect_sums(const std::vector<unsigned>& heads, std::uint64_t seed) {
  Random random(seed);
  std::vector<unsigned> bits(heads.size());
  for (unsigned& word : bits) word = random_bits(random);
  bits[0] = 0xffffffffu;

  Device device;
  const auto d_bits = device.upload(bits), d_heads = device.upload(heads);
  const auto d_sums = device.poisoned<unsigned>(static_cast<std::int64_t>(32 * heads.size()));
  launch(device, 32 * std::ssize(heads) / k_block, k_block, scan_kernel, d_bits, d_heads, d_sums);
  const std::vector<unsigned> sums = device.download(d_sums);
  for (std::size_t warp = 0; warp < heads.size(); ++warp) {
    const std::vector<unsigned> got(sums.begin() + 32 * warp, sums.begin() + 32 * (warp + 1));
    ASSERT_EQ(got, segmented_sums(bits[warp], heads[warp])) << "warp " << warp << " heads " << heads[warp];
  }
}

TEST_F(SegmentedScan, IsRightForSegmentsOfEveryLength) {
  std::vector<unsigned> heads(32 * 128);
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = heads_of_length(1 + static_cast<int>(i % 32));
  expect_sums(heads, 11);
}

TEST_F(SegmentedScan, IsRightForSegmentsOfRandomLengths) {
  Random random(12);
  std::vector<unsigned> heads(8192);
  for (unsigned& word : heads) word = random_heads(random);
  heads[0] = 0;            // lane 0 is a head without a flag
  heads[1] = 0x80000000u;  // only lane 31 has one
  expect_sums(heads, 13);
}

TEST_F(SegmentedScan, GivesThePapersExample) {
  Device device;
  const auto d_bits = device.upload(std::vector<unsigned>{0b10011101});
  const auto d_heads = device.upload(std::vector<unsigned>{0b01001001});
  const auto d_sums = device.poisoned<unsigned>(32);
  launch(device, 1, 32, scan_kernel, d_bits, d_heads, d_sums);
  std::vector<unsigned> sums = device.download(d_sums);
  sums.resize(8);
  EXPECT_EQ(sums, (std::vector<unsigned>{0, 1, 1, 0, 1, 2, 0, 0}));  // figure 5, lane 0 first
}

template <class In_, class Out_>
struct Variant {
  using In = In_;
  using Out = Out_;
  static void scan(cuda::Buffer<std::byte>& temp, const In* d_in, Out* d_out, std::int64_t n, Out* d_total,
                   cudaStream_t stream) {
    cuda::paper::single_pass_exclusive_sum(temp.data(), static_cast<std::size_t>(temp.size()), d_in, d_out, n, d_total,
                                           stream);
  }
};

using Variants = testing::Types<Variant<std::uint32_t, std::uint32_t>, Variant<std::uint8_t, std::uint32_t>,
                                Variant<std::uint32_t, std::uint64_t>, Variant<std::uint8_t, std::uint64_t>>;

template <class T>
std::vector<T> random_values(std::int64_t n, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(n));
  std::mt19937_64 engine(seed);
  for (T& value : values) value = static_cast<T>(engine());  // the whole range, so that 32-bit sums wrap
  return values;
}

constexpr std::int64_t k_guard = 64;  // values on both sides of the output that must stay poisoned

template <class T>
constexpr T k_poison = static_cast<T>(0xa5a5a5a5a5a5a5a5u);

/// The result of one scan, read back: the sums with the guards around them, and the total.
template <class Out>
struct Scanned {
  std::vector<Out> guarded;
  Out total;
};

template <class Variant>
class SinglePassScan : public GpuTest {
 protected:
  using In = typename Variant::In;
  using Out = typename Variant::Out;

  /// Input and output begin `in_offset` and `out_offset` elements after an aligned address.
  static Scanned<Out> scan(Device& device, const std::vector<In>& values, std::int64_t in_offset = 0,
                           std::int64_t out_offset = 0) {
    const auto n = static_cast<std::int64_t>(values.size());
    std::vector<In> shifted(static_cast<std::size_t>(in_offset), In{1});
    shifted.insert(shifted.end(), values.begin(), values.end());
    const auto d_in = device.upload(shifted);
    const auto d_out = device.poisoned<Out>(k_guard + out_offset + n + k_guard);
    const auto d_total = device.poisoned<Out>(1);
    auto temp = device.poisoned<std::byte>(static_cast<std::int64_t>(cuda::paper::single_pass_scan_bytes(n)));
    Variant::scan(temp, d_in.data() + in_offset, d_out.data() + k_guard + out_offset, n, d_total.data(),
                  device.stream());
    return {device.download(d_out), device.download(d_total)[0]};
  }

  static void expect_exclusive_sum(const std::vector<In>& values, std::int64_t in_offset = 0,
                                   std::int64_t out_offset = 0) {
    Device device;
    const Scanned<Out> got = scan(device, values, in_offset, out_offset);
    std::vector<Out> right(got.guarded.size(), k_poison<Out>);
    std::exclusive_scan(values.begin(), values.end(), right.begin() + k_guard + out_offset, Out{0});
    ASSERT_TRUE(got.guarded == right) << values.size() << " elements, first difference at "
                                      << std::mismatch(right.begin(), right.end(), got.guarded.begin()).first -
                                             right.begin() - k_guard - out_offset;
    ASSERT_EQ(got.total, std::accumulate(values.begin(), values.end(), Out{0})) << values.size();
  }

  static void expect_exclusive_sums_around(int exponent) {
    for (const std::int64_t n :
         {(std::int64_t{1} << exponent) - 1, std::int64_t{1} << exponent, (std::int64_t{1} << exponent) + 1})
      ASSERT_NO_FATAL_FAILURE(expect_exclusive_sum(random_values<In>(n, 51)));
  }

  static void expect_the_sums_of_cub(std::int64_t n) {
    Device device;
    const std::vector<In> values = random_values<In>(n, 58);
    const auto d_in = device.upload(values);
    const auto d_cubs = device.poisoned<Out>(n);
    const auto cub_scan = [&](void* d_temp, std::size_t& bytes) {
      cuda::check(cub::DeviceScan::ExclusiveScan(d_temp, bytes, d_in.data(), d_cubs.data(), ::cuda::std::plus<Out>{},
                                                 Out{0}, n, device.stream()),
                  "cub::DeviceScan");
    };
    std::size_t bytes = 0;
    cub_scan(nullptr, bytes);
    const auto cub_temp = device.poisoned<std::byte>(static_cast<std::int64_t>(bytes));
    cub_scan(cub_temp.data(), bytes);
    const std::vector<Out> ours = scan(device, values).guarded;
    ASSERT_TRUE(std::ranges::equal(std::span(ours).subspan(k_guard, values.size()), device.download(d_cubs))) << n;
  }

  /// A race shows as a run that differs.
  static void expect_the_same_each_time(std::int64_t n, int repeats) {
    Device device;
    const std::vector<In> values = random_values<In>(n, 52);
    const std::vector<Out> first = scan(device, values).guarded;
    const auto d_in = device.upload(values);
    auto temp = device.poisoned<std::byte>(static_cast<std::int64_t>(cuda::paper::single_pass_scan_bytes(n)));
    for (int i = 0; i < repeats; ++i) {
      const auto d_out = device.poisoned<Out>(k_guard + n + k_guard);
      Variant::scan(temp, d_in.data(), d_out.data() + k_guard, n, nullptr, device.stream());
      ASSERT_TRUE(device.download(d_out) == first) << "run " << i;
    }
  }
};

template <class Variant>
class SinglePassScanLarge : public SinglePassScan<Variant> {};

TYPED_TEST_SUITE(SinglePassScan, Variants);
TYPED_TEST_SUITE(SinglePassScanLarge, Variants);

TYPED_TEST(SinglePassScan, IsTheExclusiveSumAtSmallSizes) {
  for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 31, 32, 33, 511, 512, 513})
    ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sum(random_values<typename TypeParam::In>(n, 53)));
}

TYPED_TEST(SinglePassScan, IsTheExclusiveSumAroundPowersOfTwo) {
  for (int exponent = 6; exponent <= 20; ++exponent)
    ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sums_around(exponent));
}

TYPED_TEST(SinglePassScan, IsTheExclusiveSumAroundWholeTiles) {
  for (const std::int64_t tiles : {1, 2, 31, 32, 33, 34, 65})  // a look-back reads windows of 32 tiles
    for (const std::int64_t n :
         {tiles * cuda::paper::k_scan_tile - 1, tiles * cuda::paper::k_scan_tile, tiles * cuda::paper::k_scan_tile + 1})
      ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sum(random_values<typename TypeParam::In>(n, 54)));
}

TYPED_TEST(SinglePassScan, CountsOnes) { this->expect_exclusive_sum(std::vector<typename TypeParam::In>(100000, 1)); }

TYPED_TEST(SinglePassScan, TakesArraysOfAnyAlignment) {
  const auto values = random_values<typename TypeParam::In>(3 * cuda::paper::k_scan_tile + 5, 55);
  for (const std::int64_t in_offset : {0, 1, 2, 3, 4})
    for (const std::int64_t out_offset : {0, 1, 2, 3})
      ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sum(values, in_offset, out_offset));
}

TYPED_TEST(SinglePassScan, GivesTheSameSumsFiftyTimes) { this->expect_the_same_each_time((1 << 17) + 7, 50); }

TYPED_TEST(SinglePassScanLarge, IsTheExclusiveSumAroundPowersOfTwo) {
  for (int exponent = 21; exponent <= 24; ++exponent)
    ASSERT_NO_FATAL_FAILURE(this->expect_exclusive_sums_around(exponent));
}

// Some 4,000 tiles: several times what is resident at once.
TYPED_TEST(SinglePassScanLarge, GivesTheSameSumsFiftyTimes) { this->expect_the_same_each_time((1 << 24) + 7, 50); }

TYPED_TEST(SinglePassScanLarge, IsTheExclusiveSumOf2To28) {
  this->expect_exclusive_sum(random_values<typename TypeParam::In>(std::int64_t{1} << 28, 56));
}

TYPED_TEST(SinglePassScanLarge, CountsOnes) {
  this->expect_exclusive_sum(std::vector<typename TypeParam::In>((std::int64_t{1} << 28) + 1, 1));
}

TYPED_TEST(SinglePassScan, GivesTheSumsOfCub) {
  for (const std::int64_t n : {1, 31, 32, 33, 4095, 4096, 4097, 1 << 17, (1 << 20) - 1, (1 << 20) + 1})
    ASSERT_NO_FATAL_FAILURE(this->expect_the_sums_of_cub(n));
}

TYPED_TEST(SinglePassScanLarge, GivesTheSumsOfCub) {
  for (const int exponent : {24, 28})
    ASSERT_NO_FATAL_FAILURE(this->expect_the_sums_of_cub((std::int64_t{1} << exponent) + 1));
}

class SinglePassScanInPlace : public GpuTest {};

TEST_F(SinglePassScanInPlace, MayOverwriteItsInput) {
  for (const std::int64_t n : {1, 4096, 100001}) {
    const auto values = random_values<std::uint32_t>(n, 57);
    Device device;
    const auto d_values = device.upload(values);
    auto temp = device.poisoned<std::byte>(static_cast<std::int64_t>(cuda::paper::single_pass_scan_bytes(n)));
    cuda::paper::single_pass_exclusive_sum(temp.data(), static_cast<std::size_t>(temp.size()), d_values.data(),
                                           d_values.data(), n, device.stream());
    std::vector<std::uint32_t> right(values.size());
    std::exclusive_scan(values.begin(), values.end(), right.begin(), 0u);
    ASSERT_TRUE(device.download(d_values) == right) << n;
  }
}

}  // namespace
}  // namespace kann::test
