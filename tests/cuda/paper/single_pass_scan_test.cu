// The single-pass scan on a device, against std::exclusive_scan and cub::DeviceScan: types, sizes, alignment, in place,
// what lies around the output, and races.
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <numeric>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/paper/single_pass_scan.cuh"

namespace kann {
namespace {

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
class SinglePassScan : public test::GpuTest {
 protected:
  using In = typename Variant::In;
  using Out = typename Variant::Out;

  /// Input and output begin `in_offset` and `out_offset` elements after an aligned address.
  static Scanned<Out> scan(test::Device& device, const std::vector<In>& values, std::int64_t in_offset = 0,
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
    test::Device device;
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

  /// A race shows as a run that differs.
  static void expect_the_same_each_time(std::int64_t n, int repeats) {
    test::Device device;
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

class SinglePassScanInPlace : public test::GpuTest {};

TEST_F(SinglePassScanInPlace, MayOverwriteItsInput) {
  for (const std::int64_t n : {1, 4096, 100001}) {
    const auto values = random_values<std::uint32_t>(n, 57);
    test::Device device;
    const auto d_values = device.upload(values);
    auto temp = device.poisoned<std::byte>(static_cast<std::int64_t>(cuda::paper::single_pass_scan_bytes(n)));
    cuda::paper::single_pass_exclusive_sum(temp.data(), static_cast<std::size_t>(temp.size()), d_values.data(),
                                           d_values.data(), n, device.stream());
    std::vector<std::uint32_t> right(values.size());
    std::exclusive_scan(values.begin(), values.end(), right.begin(), 0u);
    ASSERT_TRUE(device.download(d_values) == right) << n;
  }
}

template <class Variant>
class SinglePassScanAndCub : public test::GpuTest {
 protected:
  using In = typename Variant::In;
  using Out = typename Variant::Out;

  static void expect_the_sums_of_cub(std::int64_t n) {
    test::Device device;
    const auto d_in = device.upload(random_values<In>(n, 58));
    const auto d_ours = device.poisoned<Out>(n), d_cubs = device.poisoned<Out>(n);
    auto temp = device.poisoned<std::byte>(static_cast<std::int64_t>(cuda::paper::single_pass_scan_bytes(n)));
    Variant::scan(temp, d_in.data(), d_ours.data(), n, nullptr, device.stream());

    const auto cub_scan = [&](void* d_temp, std::size_t& bytes) {
      cuda::check(cub::DeviceScan::ExclusiveScan(d_temp, bytes, d_in.data(), d_cubs.data(), ::cuda::std::plus<Out>{},
                                                 Out{0}, n, device.stream()),
                  "cub::DeviceScan");
    };
    std::size_t bytes = 0;
    cub_scan(nullptr, bytes);
    const auto cub_temp = device.poisoned<std::byte>(static_cast<std::int64_t>(bytes));
    cub_scan(cub_temp.data(), bytes);
    ASSERT_TRUE(device.download(d_ours) == device.download(d_cubs)) << n;
  }
};

template <class Variant>
class SinglePassScanAndCubLarge : public SinglePassScanAndCub<Variant> {};

TYPED_TEST_SUITE(SinglePassScanAndCub, Variants);
TYPED_TEST_SUITE(SinglePassScanAndCubLarge, Variants);

TYPED_TEST(SinglePassScanAndCub, Agree) {
  for (const std::int64_t n : {1, 31, 32, 33, 4095, 4096, 4097, 1 << 17, (1 << 20) - 1, (1 << 20) + 1})
    ASSERT_NO_FATAL_FAILURE(this->expect_the_sums_of_cub(n));
}

TYPED_TEST(SinglePassScanAndCubLarge, Agree) {
  for (const int exponent : {24, 28})
    ASSERT_NO_FATAL_FAILURE(this->expect_the_sums_of_cub((std::int64_t{1} << exponent) + 1));
}

}  // namespace
}  // namespace kann
