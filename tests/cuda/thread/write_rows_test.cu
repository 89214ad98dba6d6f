// The rows that a thread writes from its list, in every width, against plain C++.
#include <cmath>

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/placed_points.hpp"
#include "cuda/thread/nearest_list.cuh"

namespace kann {
namespace {

constexpr int k_lists = 32;
constexpr double k_unit = 0.25;

/// Thread i writes its list as row 2·i + 1.
template <int K>
__global__ void write_kernel(const std::uint64_t* d_lists, cuda::ResultRows rows) {
  cuda::thread::NearestList<K> list;
  list.load(d_lists + threadIdx.x * K);
  list.write(rows, 2 * threadIdx.x + 1);
}

template <class Count>
class ThreadWriteRows : public test::GpuTest {
 protected:
  static constexpr int K = Count::value;

  /// List i holds i % (K + 1) neighbours.
  static std::vector<std::uint64_t> lists() {
    test::Random random(69);
    std::vector<std::uint64_t> keys(k_lists * K, test::k_no_neighbor);
    for (int i = 0; i < k_lists; ++i)
      for (int j = 0; j < i % (K + 1); ++j)
        keys[i * K + j] = test::plain_neighbor_key(static_cast<float>(j) + static_cast<float>(random.uniform()),
                                                   static_cast<std::uint32_t>(random.below(1u << 31)));
    return keys;
  }

  static void expect_rows(std::int64_t k) {
    const auto keys = lists();
    test::Device device;
    const auto d_lists = device.upload(keys);
    const std::int64_t size = (2 * k_lists + 1) * k;
    const auto d_ids = device.poisoned<std::int32_t>(size);
    const auto d_distances = device.poisoned<float>(size);
    write_kernel<K><<<1, k_lists, 0, device.stream()>>>(d_lists.data(), {d_ids.data(), d_distances.data(), k, k_unit});
    cuda::check_launch("write");
    const auto ids = device.download(d_ids);
    const auto distances = device.download(d_distances);

    constexpr auto poison = static_cast<std::int32_t>(0xa5a5a5a5u);
    for (std::int64_t row = 0; row <= 2 * k_lists; ++row)
      for (std::int64_t j = 0; j < k; ++j) {
        const std::int32_t id = ids[row * k + j];
        const float distance = distances[row * k + j];
        if (row % 2 == 0) {  // rows between those that are written
          ASSERT_EQ(id, poison);
          ASSERT_EQ(std::bit_cast<std::int32_t>(distance), poison);
          continue;
        }
        const std::uint64_t key = j < K ? keys[row / 2 * K + j] : test::k_no_neighbor;
        const bool present = key != test::k_no_neighbor;
        ASSERT_EQ(id, present ? static_cast<std::int32_t>(key & 0x7fffffffu) : -1) << "k=" << k << " row " << row;
        ASSERT_EQ(distance, present
                                ? static_cast<float>(
                                      std::sqrt(std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32))) * k_unit)
                                : INFINITY)
            << "k=" << k << " row " << row;
      }
  }
};

using Counts =
    testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 4>,
                   std::integral_constant<int, 8>, std::integral_constant<int, 16>, std::integral_constant<int, 32>>;
TYPED_TEST_SUITE(ThreadWriteRows, Counts);

TYPED_TEST(ThreadWriteRows, OfEveryWidthThatTheListHolds) {
  for (std::int64_t k = 1; k <= TypeParam::value; ++k) ASSERT_NO_FATAL_FAILURE(this->expect_rows(k));
}

// k of more neighbours than there are points: the list is as long as there are points.
TYPED_TEST(ThreadWriteRows, FillsARowWiderThanTheListWithMissingNeighbors) {
  for (const std::int64_t more : {1, 2, 3, 4, 33}) ASSERT_NO_FATAL_FAILURE(this->expect_rows(TypeParam::value + more));
}

}  // namespace
}  // namespace kann
