// Rounded roots on a device, against those of 64-bit precision on the host.
#include <cmath>
#include <limits>
#include <vector>

#include "brute_force.hpp"
#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/float_root.cuh"

namespace kann {
namespace {

__global__ void root_kernel(const double* d_sq_dists, std::int64_t count, float* d_roots) {
  const std::int64_t i = cuda::first_element();
  if (i < count) d_roots[i] = cuda::thread::float_root(d_sq_dists[i]);
}

__global__ void count_certain_kernel(const double* d_sq_dists, std::int64_t count, unsigned* d_certain) {
  const std::int64_t i = cuda::first_element();
  if (i < count && cuda::thread::RoughRoot(d_sq_dists[i]).is_certain()) atomicAdd(d_certain, 1u);
}

class FloatRoot : public test::GpuTest {
 protected:
  static void expect_roots(const std::vector<double>& sq_dists) {
    const auto count = static_cast<std::int64_t>(sq_dists.size());
    test::Device device;
    const auto d_sq_dists = device.upload(sq_dists);
    const auto d_roots = device.poisoned<float>(count);
    root_kernel<<<cuda::blocks_for(count), cuda::k_block_threads, 0, device.stream()>>>(d_sq_dists.data(), count,
                                                                                        d_roots.data());
    cuda::check_launch("roots");
    const auto roots = device.download(d_roots);
    for (std::size_t i = 0; i < sq_dists.size(); ++i) ASSERT_EQ(roots[i], test::plain_root(sq_dists[i])) << sq_dists[i];
  }
};

TEST_F(FloatRoot, IsTheNearestFloatOfAnyScale) {
  test::Random random(81);
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
  test::Random random(82);
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
  test::Random random(83);
  constexpr std::int64_t count = 400000;
  std::vector<double> sq_dists;
  for (std::int64_t i = 0; i < count; ++i)
    sq_dists.push_back(std::ldexp(1 + random.uniform(), static_cast<int>(random.below(370)) - 250));
  test::Device device;
  const auto d_sq_dists = device.upload(sq_dists);
  const auto d_certain = device.upload(std::vector<unsigned>{0});
  count_certain_kernel<<<cuda::blocks_for(count), cuda::k_block_threads, 0, device.stream()>>>(d_sq_dists.data(), count,
                                                                                               d_certain.data());
  cuda::check_launch("certain roots");
  EXPECT_GE(device.download(d_certain)[0], count - count / 10000);
}

}  // namespace
}  // namespace kann
