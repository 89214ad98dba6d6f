// The segmented scan on a device, against std::exclusive_scan of each segment.
#include "cuda/gpu.hpp"
#include "cuda/paper/segmented_scan.cuh"
#include "segments.hpp"

namespace kann {
namespace {

class SegmentedScan : public test::GpuTest {};

constexpr int k_block = 128;  // four warps: lanes are not thread numbers

/// One thread per lane; one word of `d_bits` and of `d_heads` per warp.
__global__ void scan_kernel(const unsigned* d_bits, const unsigned* d_heads, unsigned* d_sums) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const bool p = d_bits[thread / 32] >> (thread % 32) & 1;
  d_sums[thread] = cuda::paper::segmented_scan(p, d_heads[thread / 32]);
}

/// heads.size() is a multiple of the warps of a block.
void expect_sums(const std::vector<unsigned>& heads, std::uint64_t seed) {
  test::Random random(seed);
  std::vector<unsigned> bits(heads.size());
  for (unsigned& word : bits) word = test::random_bits(random);
  bits[0] = 0xffffffffu;

  test::Device device;
  const auto d_bits = device.upload(bits), d_heads = device.upload(heads);
  const auto d_sums = device.poisoned<unsigned>(static_cast<std::int64_t>(32 * heads.size()));
  scan_kernel<<<static_cast<unsigned>(32 * heads.size() / k_block), k_block, 0, device.stream()>>>(
      d_bits.data(), d_heads.data(), d_sums.data());
  cuda::check_launch("segmented scan");
  const std::vector<unsigned> sums = device.download(d_sums);
  for (std::size_t warp = 0; warp < heads.size(); ++warp) {
    const std::vector<unsigned> got(sums.begin() + 32 * warp, sums.begin() + 32 * (warp + 1));
    ASSERT_EQ(got, test::segmented_sums(bits[warp], heads[warp])) << "warp " << warp << " heads " << heads[warp];
  }
}

TEST_F(SegmentedScan, IsRightForSegmentsOfEveryLength) {
  std::vector<unsigned> heads(32 * 128);
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = test::heads_of_length(1 + static_cast<int>(i % 32));
  expect_sums(heads, 11);
}

TEST_F(SegmentedScan, IsRightForSegmentsOfRandomLengths) {
  test::Random random(12);
  std::vector<unsigned> heads(8192);
  for (unsigned& word : heads) word = test::random_heads(random);
  heads[0] = 0;            // lane 0 is a head without a flag
  heads[1] = 0x80000000u;  // only lane 31 has one
  expect_sums(heads, 13);
}

TEST_F(SegmentedScan, GivesThePapersExample) {
  test::Device device;
  const auto d_bits = device.upload(std::vector<unsigned>{0b10011101});
  const auto d_heads = device.upload(std::vector<unsigned>{0b01001001});
  const auto d_sums = device.poisoned<unsigned>(32);
  scan_kernel<<<1, 32, 0, device.stream()>>>(d_bits.data(), d_heads.data(), d_sums.data());
  cuda::check_launch("segmented scan");
  std::vector<unsigned> sums = device.download(d_sums);
  sums.resize(8);
  EXPECT_EQ(sums, (std::vector<unsigned>{0, 1, 1, 0, 1, 2, 0, 0}));  // figure 5, lane 0 first
}

}  // namespace
}  // namespace kann
