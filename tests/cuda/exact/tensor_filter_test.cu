// The filter of the exact search on a device, against squared distances in float64.
#include <cmath>

#include "clouds.hpp"
#include "cuda/exact/teams/tensor_filter.cuh"
#include "cuda/launch.cuh"

namespace kann::test {
namespace {

using cuda::PlacedPoint;

constexpr int k_lanes = 32;

/// What one warp is given: a query and a bound per lane, and 32 points.
struct Warp {
  PlacedPoint queries[k_lanes], points[k_lanes];
  float bounds[k_lanes];
};

/// Whether a warp could ask anything, and bit j of mask i for point j and the query of lane i.
struct Answer {
  bool has_begun;
  std::uint32_t masks[k_lanes];
};

/// One block of one warp for each.
__global__ void filter_kernel(const Warp* d_warps, Answer* d_answers) {
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
  d_answers[blockIdx.x].masks[lane] = mask;
  if (lane == 0) d_answers[blockIdx.x].has_begun = has_begun;
}

class TensorFilter : public GpuTest {
 protected:
  static std::vector<Answer> filter(const std::vector<Warp>& warps) {
    const std::int64_t count = std::ssize(warps);
    return results_of(count, count, k_lanes, filter_kernel, warps);
  }

  static double sq_distance(const PlacedPoint& a, const PlacedPoint& b) {
    const double dx = static_cast<double>(a.x) - b.x, dy = static_cast<double>(a.y) - b.y,
                 dz = static_cast<double>(a.z) - b.z;
    return dx * dx + dy * dy + dz * dz;
  }
};

TEST_F(TensorFilter, LeavesOutNoPointWithinTheBoundAndFewOthers) {
  Random random(94);
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
  const std::vector<Answer> answers = filter(warps);
  std::int64_t within = 0, passed = 0;
  for (std::size_t i = 0; i < warps.size(); ++i) {
    ASSERT_TRUE(answers[i].has_begun) << "warp " << i;
    for (std::size_t lane = 0; lane < k_lanes; ++lane)
      for (std::size_t j = 0; j < k_lanes; ++j) {
        if (j == 13) continue;
        const bool is_within =
            sq_distance(warps[i].queries[lane], warps[i].points[j]) <= static_cast<double>(warps[i].bounds[lane]);
        const bool passes = answers[i].masks[lane] >> j & 1;
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
  const std::vector<Answer> answers = filter(warps);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(answers[i].has_begun, i == 3) << i;
}

}  // namespace
}  // namespace kann::test
