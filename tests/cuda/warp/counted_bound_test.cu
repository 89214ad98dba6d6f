// Bounds by counting on a device: how many points of the window are within them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/placed_points.hpp"
#include "cuda/warp/counted_bound.cuh"

namespace kann {
namespace {

/// One warp per place of the points, each of which is a query.
template <int K>
__global__ void bound_kernel(const cuda::PlacedPoint* d_points, std::int64_t count, int size, int dimensions,
                             bool drop_self, float* d_bounds) {
  const cuda::thread::Query query(d_points[blockIdx.x], drop_self);
  const auto window =
      geometry::window_around(static_cast<std::int64_t>(blockIdx.x), cuda::warp::k_bound_rows<K> * 16, count);
  const float bound = cuda::warp::counted_bound<K>(d_points, window, query, size, dimensions);
  if (threadIdx.x == 0) d_bounds[blockIdx.x] = bound;
}

class WarpCountedBound : public test::GpuTest {
 protected:
  template <int K>
  static void expect_bounds(const test::CloudKind& kind, std::int64_t n, int d, int size, bool drop_self) {
    auto points = test::placed_points(kind.make(n, d, 77), d);
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    test::Device device;
    const auto d_points = device.upload(points);
    const auto d_bounds = device.poisoned<float>(n);
    bound_kernel<K>
        <<<static_cast<unsigned>(n), 32, 0, device.stream()>>>(d_points.data(), n, size, d, drop_self, d_bounds.data());
    cuda::check_launch("bounds");
    const auto bounds = device.download(d_bounds);
    const std::int64_t length = std::min<std::int64_t>(n, cuda::warp::k_bound_rows<K> * 32);
    std::int64_t within = 0, bounded = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t begin = std::clamp<std::int64_t>(i - length / 2, 0, n - length);
      std::vector<float> sq_dists;
      for (std::int64_t j = begin; j < begin + length; ++j)
        if (!drop_self || points[j].index != points[i].index)
          sq_dists.push_back(geometry::sq_distance_3d(points[i].x - points[j].x, points[i].y - points[j].y,
                                                      points[i].z - points[j].z));
      std::sort(sq_dists.begin(), sq_dists.end());
      const auto finite = std::count_if(sq_dists.begin(), sq_dists.end(), [](float x) { return std::isfinite(x); });
      if (finite < size) {
        ASSERT_EQ(bounds[i], std::numeric_limits<float>::infinity()) << kind.name << " " << i;
        continue;
      }
      ASSERT_GE(bounds[i], sq_dists[size - 1]) << kind.name << " " << i;
      ASSERT_LE(bounds[i], sq_dists[finite - 1]) << kind.name << " " << i;
      within += std::upper_bound(sq_dists.begin(), sq_dists.end(), bounds[i]) - sq_dists.begin();
      ++bounded;
    }
    if (std::string(kind.name) == "uniform") {
      EXPECT_LE(within, bounded * (size + size / 6 + 2)) << n;
    }
  }
};

TEST_F(WarpCountedBound, HoldsAsManyPointsAsTheListAndFewMore) {
  for (const auto& kind : test::all_clouds())
    for (const int d : {2, 3})
      for (const bool drop_self : {false, true}) {
        for (const std::int64_t n : {1, 33, 64, 65, 700}) {
          expect_bounds<64>(kind, n, d, 33, drop_self);
          expect_bounds<64>(kind, n, d, 64, drop_self);
        }
        expect_bounds<128>(kind, 1000, d, 100, drop_self);
        expect_bounds<256>(kind, 1000, d, 256, drop_self);
      }
}

}  // namespace
}  // namespace kann
