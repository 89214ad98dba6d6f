// The sorts on a device, against std::stable_sort, by all bits and by some.
#include "cuda/order/sort.hpp"

#include <algorithm>
#include <numeric>

#include "clouds.hpp"
#include "cuda/gpu.hpp"

namespace kann {
namespace {

constexpr std::int64_t k_sizes[] = {0, 1, 2, 255, 256, 257, 4095, 4097};

template <class Key>
Key bits_between(Key key, int begin, int end) {
  const auto below_end = static_cast<Key>(end == 8 * sizeof(Key) ? ~Key{0} : (Key{1} << end) - 1);
  return static_cast<Key>((key & below_end) >> begin);
}

template <class Key>
class PairSorter : public test::GpuTest {};
using Keys = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(PairSorter, Keys);

TYPED_TEST(PairSorter, SortsStablyBySomeBitsAnyNumberOfTimes) {
  using Key = TypeParam;
  constexpr int all = 8 * sizeof(Key);
  test::Random random(88);
  test::Device device;
  cuda::PairSorter<Key> sorter(device.pool(), 4097);
  EXPECT_EQ(sorter.capacity(), 4097);
  for (const std::int64_t n : k_sizes)
    for (const auto& [begin, end] : {std::pair{0, all}, {0, 1}, {8, 16}, {5, 27}, {all - 9, all}}) {
      std::vector<Key> keys(static_cast<std::size_t>(n));
      for (Key& key : keys) key = static_cast<Key>(random.below(3) == 0 ? random.below(1000) : random.below(~0ull));
      std::vector<std::uint32_t> order(keys.size());
      std::iota(order.begin(), order.end(), 0u);
      if (n > 0) {
        cuda::check(cudaMemcpyAsync(sorter.keys_in(), keys.data(), keys.size() * sizeof(Key), cudaMemcpyHostToDevice,
                                    device.stream()),
                    "keys");
        cuda::check(cudaMemcpyAsync(sorter.indices_in(), order.data(), order.size() * sizeof(std::uint32_t),
                                    cudaMemcpyHostToDevice, device.stream()),
                    "indices");
      }
      sorter.sort(n, begin, end, device.stream());
      const auto got_keys = test::download(device.stream(), sorter.keys(), n);
      const auto got_indices = test::download(device.stream(), sorter.indices(), n);
      std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return bits_between(keys[i], begin, end); });
      ASSERT_EQ(got_indices, order) << n << " keys by bits " << begin << " to " << end;
      for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(got_keys[i], keys[order[i]]) << n;
    }
  const std::uint32_t* const d_indices = sorter.indices();
  EXPECT_EQ(sorter.release_indices().data(), d_indices);
}

class KeySorter : public test::GpuTest {};

TEST_F(KeySorter, SortsStablyBySomeBitsIntoOneOfTwoArrays) {
  test::Random random(89);
  test::Device device;
  cuda::KeySorter sorter(device.pool(), 4097);
  for (const std::int64_t n : k_sizes)
    for (const auto& [begin, end] : {std::pair{0, 64}, {0, 8}, {23, 63}, {31, 63}, {63, 64}}) {
      std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
      for (auto& key : keys) key = random.below(3) == 0 ? random.below(1000) : random.below(~0ull);
      const auto d_keys = device.upload(keys);
      const auto d_spare = device.poisoned<std::uint64_t>(n);
      const bool in_spare = sorter.sort(d_keys.data(), d_spare.data(), n, begin, end, device.stream());
      std::ranges::stable_sort(keys, {}, [&](std::uint64_t key) { return bits_between(key, begin, end); });
      ASSERT_EQ(device.download(in_spare ? d_spare : d_keys), keys) << n << " keys by bits " << begin << " to " << end;
    }
}

}  // namespace
}  // namespace kann
