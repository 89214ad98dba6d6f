// The filter of the exact search on a device, against squared distances in float64.
#include <cmath>

#include "clouds.hpp"
#include "cuda/exact/teams/tensor_filter.cuh"
#include "cuda/gpu.hpp"

namespace kann {
namespace {

using cuda::PlacedPoint;

constexpr int k_lanes = 32;

/// What one warp is given: a query and a bound per lane, and 32 points.
struct Warp {
  PlacedPoint queries[k_lanes], points[k_lanes];
  float bounds[k_lanes];
};

/// One block of one warp for each. d_masks: bit j of lane i for point j; d_begun: whether anything could be asked.
__global__ void filter_kernel(const Warp* d_warps, std::uint32_t* d_masks, int* d_begun) {
  __shared__ cuda::exact::TensorFilterMemory<2> s_memory;
  const Warp& own = d_warps[blockIdx.x];
  const int lane = static_cast<int>(threadIdx.x);
  const PlacedPoint query = own.queries[lane];
  const float axes[3] = {query.x, query.y, query.z}, most = cuda::warp::reduce_max(own.bounds[lane]);
  cuda::exact::TensorFilter<2> filter(s_memory);
  const bool has_begun = filter.begin(axes, sqrtf(most));
  std::uint32_t mask = 0;
  if (has_begun) {
    filter.set_bound(own.bounds[lane]);
    const int batch = static_cast<int>(blockIdx.x % 2);
    filter.put(batch, own.points[lane]);
    __syncwarp();
    mask = filter.candidates(batch);
  }
  d_masks[blockIdx.x * k_lanes + lane] = mask;
  if (lane == 0) d_begun[blockIdx.x] = has_begun;
}

class TensorFilter : public test::GpuTest {
 protected:
  struct Answer {
    std::vector<std::uint32_t> masks;
    std::vector<int> begun;
  };

  static Answer filter(const std::vector<Warp>& warps) {
    test::Device device;
    const auto count = static_cast<std::int64_t>(warps.size());
    const auto d_warps = device.upload(warps);
    const auto d_masks = device.poisoned<std::uint32_t>(count * k_lanes);
    const auto d_begun = device.poisoned<int>(count);
    filter_kernel<<<static_cast<unsigned>(count), k_lanes, 0, device.stream()>>>(d_warps.data(), d_masks.data(),
                                                                                 d_begun.data());
    cuda::check_launch("filter");
    return {device.download(d_masks), device.download(d_begun)};
  }

  static double sq_distance(const PlacedPoint& a, const PlacedPoint& b) {
    const double dx = static_cast<double>(a.x) - b.x, dy = static_cast<double>(a.y) - b.y,
                 dz = static_cast<double>(a.z) - b.z;
    return dx * dx + dy * dy + dz * dz;
  }
};

TEST_F(TensorFilter, LeavesOutNoPointWithinTheBoundAndFewOthers) {
  test::Random random(94);
  const auto unit = [&random] { return static_cast<float>(random.below(1 << 24)) * 0x1p-24f; };
  std::vector<Warp> warps(3000);
  for (std::size_t i = 0; i < warps.size(); ++i) {
    Warp& w = warps[i];
    // Boxes of many sizes, some of them far from the origin, some flat; points within them, and some beyond
    const float size = std::ldexp(0.5f + unit(), static_cast<int>(random.below(60)) - 30);
    const float origin = i % 3 == 0   ? 0.0f
                         : i % 3 == 1 ? -size
                                      : 100 * size * unit(),
                reach = i % 4 == 0 ? 10.0f : 1.5f;
    const auto at = [&](float share) { return origin + share * size; };
    for (int lane = 0; lane < k_lanes; ++lane) {
      w.queries[lane] = {at(unit()), at(unit()), i % 7 == 0 ? origin : at(unit()), 0};
      w.points[lane] = {at(reach * (unit() - 0.2f)), at(reach * (unit() - 0.2f)), at(reach * (unit() - 0.2f)), 0};
      w.bounds[lane] = i % 5 == 0 && lane % 4 == 0 ? -1.0f : size * size * (0.05f + 0.3f * unit());
    }
    w.points[13] = {NAN, NAN, NAN, 0};
    if (i % 2) w.points[7] = w.queries[9];
  }
  const Answer answer = filter(warps);
  std::int64_t within = 0, passed = 0;
  for (std::size_t i = 0; i < warps.size(); ++i) {
    ASSERT_TRUE(answer.begun[i]) << "warp " << i;
    for (std::size_t lane = 0; lane < k_lanes; ++lane)
      for (std::size_t j = 0; j < k_lanes; ++j) {
        if (j == 13) continue;
        const bool is_within =
            sq_distance(warps[i].queries[lane], warps[i].points[j]) <= static_cast<double>(warps[i].bounds[lane]);
        const bool passes = answer.masks[i * k_lanes + lane] >> j & 1;
        ASSERT_TRUE(passes || !is_within) << "warp " << i << " lane " << lane << " point " << j;
        within += is_within;
        passed += passes;
      }
  }
  EXPECT_GT(within, 100000);
  EXPECT_LT(static_cast<double>(passed), 1.02 * static_cast<double>(within));
}

TEST_F(TensorFilter, BeginsOnlyWhereRoundingIsSmall) {
  std::vector<Warp> warps(4);
  for (int lane = 0; lane < k_lanes; ++lane) {
    const auto share = static_cast<float>(lane);
    warps[0].queries[lane] = {share, 0, 0, 0};
    warps[0].bounds[lane] = 0;  // no distance is resolved
    warps[1].queries[lane] = {1000 * share, 0, 0, 0};
    warps[1].bounds[lane] = 1;  // nor one so much smaller than the box
    warps[2].queries[lane] = {share, 0, 0, 0};
    warps[2].bounds[lane] = INFINITY;
    warps[3].queries[lane] = {5, 5, 5, 0};  // a box of no width
    warps[3].bounds[lane] = 1e-3f;
  }
  EXPECT_EQ(filter(warps).begun, (std::vector<int>{0, 0, 0, 1}));
}

}  // namespace
}  // namespace kann
