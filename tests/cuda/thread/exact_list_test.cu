// Exact keys and their list on a device, and the order in which rows are written, against std::sort.
#include <algorithm>
#include <limits>
#include <utility>

#include "brute_force.hpp"
#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/thread/exact_list.cuh"

namespace kann {
namespace {

constexpr int k_threads = 64;
using Pair = std::pair<double, std::uint32_t>;

/// Thread i inserts the first i·count / (threads − 1) of its row of `count` neighbours, and writes row i.
template <int K>
__global__ void insert_kernel(const geometry::ExactNeighbor* d_neighbors, int count, cuda::ResultRows rows) {
  const int i = static_cast<int>(threadIdx.x);
  cuda::thread::ExactList<K> list;
  for (int j = 0; j < i * count / (k_threads - 1); ++j) list.insert(cuda::thread::ExactKey(d_neighbors[i * count + j]));
  list.write(rows, i);
}

/// One thread per pair: whether the first comes before the second.
__global__ void compare_kernel(const geometry::ExactNeighbor* d_pairs, int count, std::uint8_t* d_less) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < count) d_less[i] = cuda::thread::ExactKey(d_pairs[2 * i]) < cuda::thread::ExactKey(d_pairs[2 * i + 1]);
}

template <class Count>
class ThreadExactList : public test::GpuTest {
 protected:
  static constexpr int K = Count::value;

  /// Squared distances are base + a few steps of one unit in the last place, or random.
  static void expect_rows(int count, std::int64_t k, double base, std::uint64_t steps) {
    test::Random random(91);
    std::vector<geometry::ExactNeighbor> neighbors;
    for (int i = 0; i < k_threads * count; ++i) {
      double sq_dist = base;
      for (std::uint64_t step = random.below(steps); step > 0; --step) sq_dist = std::nextafter(sq_dist, 1e300);
      neighbors.push_back({steps > 1 ? sq_dist : random.uniform(), static_cast<std::uint32_t>(i % count)});
    }
    for (int row = 0; row < k_threads; ++row)
      for (int j = count; j > 1; --j)
        std::swap(neighbors[row * count + j - 1], neighbors[row * count + static_cast<int>(random.below(j))]);

    test::Device device;
    const auto d_neighbors = device.upload(neighbors);
    const auto d_ids = device.poisoned<std::int32_t>(k_threads * k);
    const auto d_distances = device.poisoned<float>(k_threads * k);
    insert_kernel<K>
        <<<1, k_threads, 0, device.stream()>>>(d_neighbors.data(), count, {d_ids.data(), d_distances.data(), k, 1});
    cuda::check_launch("insert");

    Neighbors want{k_threads, k, {}, {}};
    for (int i = 0; i < k_threads; ++i) {
      std::vector<Pair> all;
      for (int j = 0; j < i * count / (k_threads - 1); ++j)
        all.emplace_back(neighbors[i * count + j].sq_dist, neighbors[i * count + j].index);
      std::sort(all.begin(), all.end());
      if (std::ssize(all) > std::min<std::int64_t>(K, k))
        all.resize(static_cast<std::size_t>(std::min<std::int64_t>(K, k)));
      std::vector<test::Neighbor> row;
      for (const Pair& p : all) row.emplace_back(test::plain_root(p.first), p.second);
      test::append_row(row, want);
    }
    const auto ids = device.download(d_ids);
    const auto distances = device.download(d_distances);
    ASSERT_TRUE(std::equal(ids.begin(), ids.end(), want.ids.begin())) << count << " " << k << " " << base;
    ASSERT_TRUE(std::equal(distances.begin(), distances.end(), want.distances.begin())) << count << " " << k;
  }
};

using Counts =
    testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 4>,
                   std::integral_constant<int, 8>, std::integral_constant<int, 16>, std::integral_constant<int, 32>>;
TYPED_TEST_SUITE(ThreadExactList, Counts);

TYPED_TEST(ThreadExactList, WritesTheNearestOfWhatIsInserted) {
  constexpr std::int64_t K = TestFixture::K;
  for (const int count : {1, 2, 31, 65})
    for (const std::int64_t k : {K, K - 1, K + 3}) {
      if (k < 1) continue;
      ASSERT_NO_FATAL_FAILURE(this->expect_rows(count, k, 0, 1));
      for (const double base : {0.0, 1.0, 2.0, 1e-60, 1e200})
        for (const std::uint64_t steps : {2, 4, 1000})
          ASSERT_NO_FATAL_FAILURE(this->expect_rows(count, k, base, steps));
    }
}

class ThreadExactKey : public test::GpuTest {};

TEST_F(ThreadExactKey, IsOrderedAsExactNeighbors) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> distances = {0,      Limits::denorm_min(), Limits::min(),     1, 1 + 0x1p-52, 1 + 0x1p-20,
                                         0x1p32, Limits::max(),        Limits::infinity()};
  const std::vector<std::uint32_t> indices = {0, 1, 0x7fffffffu, 0x80000000u, 0xfffffffeu};
  std::vector<geometry::ExactNeighbor> all, pairs;
  for (const double d : distances)
    for (const auto i : indices) all.push_back({d, i});
  for (const auto& a : all)
    for (const auto& b : all) pairs.insert(pairs.end(), {a, b});
  test::Device device;
  for (std::size_t begin = 0; begin < pairs.size(); begin += 2 * k_threads) {
    const std::vector<geometry::ExactNeighbor> some(
        pairs.begin() + static_cast<std::ptrdiff_t>(begin),
        pairs.begin() + static_cast<std::ptrdiff_t>(std::min(pairs.size(), begin + 2 * k_threads)));
    const int count = static_cast<int>(some.size() / 2);
    const auto d_pairs = device.upload(some);
    const auto d_less = device.poisoned<std::uint8_t>(count);
    compare_kernel<<<1, k_threads, 0, device.stream()>>>(d_pairs.data(), count, d_less.data());
    cuda::check_launch("compare");
    const auto less = device.download(d_less);
    for (int i = 0; i < count; ++i) {
      const auto &a = some[2 * i], &b = some[2 * i + 1];
      ASSERT_EQ(less[i] != 0, Pair(a.sq_dist, a.index) < Pair(b.sq_dist, b.index)) << a.sq_dist << " " << b.sq_dist;
    }
  }
}

}  // namespace
}  // namespace kann
