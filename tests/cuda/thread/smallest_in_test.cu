// The smallest squared distances in a window on a device, against std::sort.
#include <algorithm>

#include "brute_force.hpp"
#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/placed_points.hpp"
#include "cuda/thread/smallest_in.cuh"

namespace kann {
namespace {

/// One thread per query. d_smallest: K + 1 values each, the last of them left_out().
template <int K>
__global__ void smallest_kernel(const cuda::PlacedPoint* d_data, const geometry::Window* d_windows,
                                const cuda::PlacedPoint* d_queries, int queries, bool drops_itself, float* d_smallest) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= queries) return;
  const cuda::thread::Query query(d_queries[i], drops_itself);
  const auto smallest = cuda::thread::smallest_in<K>(d_data, d_windows[i], query);
  for (int j = 0; j < K; ++j) d_smallest[i * (K + 1) + j] = smallest[j];
  d_smallest[i * (K + 1) + K] = smallest.left_out();
}

template <class Count>
class SmallestIn : public test::GpuTest {
 protected:
  static constexpr int K = Count::value;

  /// Windows of all the lengths that may go wrong, in every part of the data.
  static std::vector<geometry::Window> windows(std::int64_t n) {
    std::vector<geometry::Window> all;
    for (const std::int64_t length : {0, 1, 2, K - 1, K, K + 1, 2 * K - 1, 2 * K, 2 * K + 1, 31, 32, 33, 63, 65})
      for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{3}, n - length})
        all.push_back({begin, begin + length});
    return all;
  }

  static void expect_smallest(const test::CloudKind& kind, bool drops_itself) {
    constexpr std::int64_t n = 101;
    const auto points = test::placed_points(kind.make(n, 3, 65), 3);
    const auto all_windows = windows(n);
    std::vector<cuda::PlacedPoint> queries(all_windows.size());  // points of their windows, mostly
    for (std::size_t i = 0; i < queries.size(); ++i)
      queries[i] = points[(static_cast<std::size_t>(all_windows[i].begin) + i % 5) % n];

    test::Device device;
    const auto d_data = device.upload(points), d_queries = device.upload(queries);
    const auto d_windows = device.upload(all_windows);
    const auto d_smallest = device.poisoned<float>(static_cast<std::int64_t>(queries.size()) * (K + 1));
    smallest_kernel<K><<<1, 64, 0, device.stream()>>>(d_data.data(), d_windows.data(), d_queries.data(),
                                                      static_cast<int>(queries.size()), drops_itself,
                                                      d_smallest.data());
    cuda::check_launch("smallest in");
    const auto smallest = device.download(d_smallest);

    for (std::size_t i = 0; i < queries.size(); ++i) {
      std::vector<float> sq_dists;
      for (std::int64_t place = all_windows[i].begin; place < all_windows[i].end; ++place)
        if (!drops_itself || points[place].index != queries[i].index)
          sq_dists.push_back(test::fused_sq_distance(&queries[i].x, &points[place].x, 3));
      std::sort(sq_dists.begin(), sq_dists.end());
      sq_dists.resize(sq_dists.size() + K + 1, INFINITY);
      for (int j = 0; j <= K; ++j)
        ASSERT_EQ(smallest[i * (K + 1) + j], sq_dists[j]) << kind.name << " window " << i << " place " << j;
    }
  }
};

using Counts =
    testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 4>,
                   std::integral_constant<int, 8>, std::integral_constant<int, 16>, std::integral_constant<int, 32>>;
TYPED_TEST_SUITE(SmallestIn, Counts);

TYPED_TEST(SmallestIn, AWindowOfAnyLength) {
  for (const auto& kind : test::all_clouds()) ASSERT_NO_FATAL_FAILURE(this->expect_smallest(kind, false));
}

TYPED_TEST(SmallestIn, AWindowWithoutTheQueryItself) {
  for (const auto& kind : test::all_clouds()) ASSERT_NO_FATAL_FAILURE(this->expect_smallest(kind, true));
}

}  // namespace
}  // namespace kann
