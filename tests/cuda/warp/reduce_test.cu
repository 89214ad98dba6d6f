// Minimum, maximum and sum of a warp on a device, against std::minmax_element and std::accumulate.
#include <algorithm>
#include <limits>
#include <numeric>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/warp/reduce.cuh"

namespace kann {
namespace {

class WarpReduce : public test::GpuTest {};

/// One thread per value.
template <class T>
__global__ void reduce_kernel(const T* d_values, T* d_min, T* d_max) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  d_min[i] = cuda::warp::reduce_min(d_values[i]);
  d_max[i] = cuda::warp::reduce_max(d_values[i]);
}

__global__ void add_kernel(const int* d_values, int* d_sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  d_sums[i] = cuda::warp::reduce_add(d_values[i]);
}

__global__ void max_kernel(const unsigned* d_values, unsigned* d_max) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  d_max[i] = cuda::warp::reduce_max(d_values[i]);
}

/// values.size() is a multiple of 128.
template <class T>
void expect_minima_and_maxima(const std::vector<T>& values) {
  test::Device device;
  const auto count = static_cast<std::int64_t>(values.size());
  const auto d_values = device.upload(values);
  const auto d_min = device.poisoned<T>(count), d_max = device.poisoned<T>(count);
  reduce_kernel<<<static_cast<unsigned>(count / 128), 128, 0, device.stream()>>>(d_values.data(), d_min.data(),
                                                                                 d_max.data());
  cuda::check_launch("reduce");
  const std::vector<T> min = device.download(d_min), max = device.download(d_max);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto warp = values.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32);
    const auto [least, most] = std::minmax_element(warp, warp + 32);
    ASSERT_EQ(min[i], *least) << i;
    ASSERT_EQ(max[i], *most) << i;
  }
}

TEST_F(WarpReduce, OfEveryCloud) {
  for (const auto& kind : test::all_clouds()) expect_minima_and_maxima(kind.make(1024, 1, 61));
}

TEST_F(WarpReduce, MaximumOfUnsignedIntegers) {
  test::Random random(64);
  std::vector<unsigned> values(128 * 32);
  for (unsigned& value : values) value = static_cast<unsigned>(random.below(std::uint64_t{1} << 32));
  values[37] = std::numeric_limits<unsigned>::max();
  test::Device device;
  const auto d_values = device.upload(values);
  const auto d_max = device.poisoned<unsigned>(static_cast<std::int64_t>(values.size()));
  max_kernel<<<32, 128, 0, device.stream()>>>(d_values.data(), d_max.data());
  cuda::check_launch("maximum");
  const std::vector<unsigned> max = device.download(d_max);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto warp = values.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32);
    ASSERT_EQ(max[i], *std::max_element(warp, warp + 32)) << i;
  }
}

TEST_F(WarpReduce, OfIntegers) {
  test::Random random(63);
  std::vector<int> values(128 * 32);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(random.below(1 << 20)) - (1 << 19);
  values[37] = std::numeric_limits<int>::max();
  values[70] = std::numeric_limits<int>::lowest();
  expect_minima_and_maxima(values);

  values[37] = values[70] = 0;  // sums that an int holds
  test::Device device;
  const auto d_values = device.upload(values);
  const auto d_sums = device.poisoned<int>(static_cast<std::int64_t>(values.size()));
  add_kernel<<<static_cast<unsigned>(values.size() / 128), 128, 0, device.stream()>>>(d_values.data(), d_sums.data());
  cuda::check_launch("add");
  const std::vector<int> sums = device.download(d_sums);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto warp = values.begin() + static_cast<std::ptrdiff_t>(i / 32 * 32);
    ASSERT_EQ(sums[i], std::accumulate(warp, warp + 32, 0)) << i;
  }
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
  test::Random random(62);
  std::vector<float> values(128 * 32);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t kinds = 1 + i / 32 % std::size(odd);  // the first few of them per warp
    values[i] = odd[(i / 32 + random.below(kinds)) % std::size(odd)];
  }
  expect_minima_and_maxima(values);
}

}  // namespace
}  // namespace kann
