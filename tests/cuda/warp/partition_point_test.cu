// The search of a warp on a device, for predicates whose boundary is known.
#include <algorithm>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/warp/partition_point.cuh"

namespace kann {
namespace {

class WarpPartitionPoint : public test::GpuTest {};

/// Places below `boundary` come before.
struct Case {
  std::int64_t begin, end, boundary;
};

/// One warp per case. d_found, d_calls and d_outside: one value per lane; how often the predicate was called, and how
/// often outside of [begin, end).
__global__ void partition_point_kernel(const Case* d_cases, std::int64_t* d_found, int* d_calls, int* d_outside) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const Case c = d_cases[i / 32];
  int calls = 0, outside = 0;
  d_found[i] = cuda::warp::partition_point(c.begin, c.end, [&](std::int64_t place) {
    ++calls;
    outside += place < c.begin || place >= c.end;
    return place < c.boundary;
  });
  d_calls[i] = calls;
  d_outside[i] = outside;
}

/// Pads the cases to whole blocks.
void expect_found(std::vector<Case> cases) {
  while (cases.size() % 4 != 0) cases.push_back({0, 0, 0});
  test::Device device;
  const auto lanes = static_cast<std::int64_t>(32 * cases.size());
  const auto d_cases = device.upload(cases);
  const auto d_found = device.poisoned<std::int64_t>(lanes);
  const auto d_calls = device.poisoned<int>(lanes), d_outside = device.poisoned<int>(lanes);
  partition_point_kernel<<<static_cast<unsigned>(cases.size() / 4), 128, 0, device.stream()>>>(
      d_cases.data(), d_found.data(), d_calls.data(), d_outside.data());
  cuda::check_launch("partition point");
  const auto found = device.download(d_found);
  const auto calls = device.download(d_calls), outside = device.download(d_outside);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Case& c = cases[i / 32];
    ASSERT_EQ(found[i], std::clamp(c.boundary, c.begin, c.end)) << c.begin << " " << c.end << " lane " << i % 32;
    ASSERT_EQ(outside[i], 0);
    // Each look leaves less than 1/32 of the range
    int looks = 0;
    for (std::int64_t size = c.end - c.begin; size > 0; size = size > 32 ? (size + 31) / 32 - 1 : 0) ++looks;
    ASSERT_LE(calls[i], looks) << c.end - c.begin;
  }
}

TEST_F(WarpPartitionPoint, IsFoundAtEveryPlaceOfSmallRanges) {
  std::vector<Case> cases;
  for (const std::int64_t size : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100})
    for (std::int64_t boundary = 0; boundary <= size; ++boundary) cases.push_back({1000, 1000 + size, 1000 + boundary});
  expect_found(cases);
}

TEST_F(WarpPartitionPoint, IsFoundInLargeRanges) {
  test::Random random(63);
  std::vector<Case> cases;
  for (const int exponent : {10, 15, 20, 25, 32, 40})
    for (const int step : {-1, 0, 1})
      for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{7}, std::int64_t{1} << 33}) {
        const std::int64_t size = (std::int64_t{1} << exponent) + step, end = begin + size;
        for (const std::int64_t boundary : {begin, begin + 1, begin + size / 2, end - 1, end})
          cases.push_back({begin, end, boundary});
        for (int i = 0; i < 20; ++i)
          cases.push_back(
              {begin, end, begin + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size)))});
      }
  expect_found(cases);
}

TEST_F(WarpPartitionPoint, IsAnEndWhereAllPlacesAreOnOneSide) {
  expect_found({{5, 50, 0}, {5, 50, 5}, {5, 50, 50}, {5, 50, 99}, {5, 5, 0}, {5, 5, 9}});
}

}  // namespace
}  // namespace kann
