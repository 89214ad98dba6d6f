// The block scan on a device, against std::exclusive_scan.
#include <numeric>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/paper/block_scan.cuh"

namespace kann {
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
struct Variant {
  using Value = T;
  using Scan = cuda::paper::BlockScan<T, threads_>;
  static constexpr unsigned threads = threads_;
};

template <class Variant>
class BlockScan : public test::GpuTest {};

using Variants = testing::Types<Variant<std::uint32_t, 32>, Variant<std::uint32_t, 96>, Variant<std::uint32_t, 256>,
                                Variant<std::uint64_t, 1024>>;
TYPED_TEST_SUITE(BlockScan, Variants);

TYPED_TEST(BlockScan, IsTheExclusiveSumOfEachBlock) {
  using T = typename TypeParam::Value;
  constexpr unsigned threads = TypeParam::threads, blocks = 64;
  test::Random random(41);
  std::vector<T> values(blocks * threads);
  for (T& value : values) value = static_cast<T>(random.below(1ull << 32));  // 32-bit sums wrap

  test::Device device;
  const auto d_values = device.upload(values);
  const auto d_sums = device.poisoned<T>(blocks * threads), d_totals = device.poisoned<T>(blocks);
  block_scan_kernel<typename TypeParam::Scan>
      <<<blocks, threads, 0, device.stream()>>>(d_values.data(), d_sums.data(), d_totals.data());
  cuda::check_launch("block scan");
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

}  // namespace
}  // namespace kann
