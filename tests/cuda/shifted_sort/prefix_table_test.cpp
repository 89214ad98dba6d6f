// The table of leading bit patterns, against std::lower_bound.
#include "cuda/shifted_sort/prefix_table.hpp"

#include <algorithm>

#include "clouds.hpp"
#include "cuda/gpu.hpp"

namespace kann {
namespace {

class PrefixTable : public test::GpuTest {};

/// Fills the table for sorted keys of `key_bits` bits and compares every entry.
void expect_begins(test::Device& device, cuda::PrefixTable& table, const std::vector<std::uint64_t>& keys,
                   int key_bits) {
  const auto d_keys = device.upload(keys);
  cuda::SortedPoints order{};
  order.d_keys = d_keys.data();
  order.count = static_cast<std::int64_t>(keys.size());
  order.key_bits = key_bits;
  table.fill(order, device.stream());
  const int bits = table.bits_for(order);
  ASSERT_GE(bits, 1);
  ASSERT_LE(bits, key_bits);
  const std::int64_t patterns = std::int64_t{1} << bits;
  const auto begins = test::download(device.stream(), table.d_begins(), patterns + 1);
  for (std::int64_t b = 0; b < patterns; ++b) {
    const auto first = static_cast<std::uint64_t>(b) << (key_bits - bits);
    ASSERT_EQ(begins[b], std::lower_bound(keys.begin(), keys.end(), first) - keys.begin()) << "pattern " << b;
  }
  ASSERT_EQ(begins[patterns], keys.size());
}

TEST_F(PrefixTable, SaysWhereTheKeysOfEachPatternBegin) {
  test::Random random(97);
  test::Device device;
  for (const std::int64_t n : {0, 1, 2, 31, 33, 255, 257, 8191, 8193, 20000}) {
    cuda::PrefixTable table(device.pool(), n);
    for (const int key_bits : {1, 5, 40, 63}) {
      const std::uint64_t most = (std::uint64_t{1} << key_bits) - 1;
      // One table for all: each fill must replace what the one before left
      for (const std::uint64_t range : {most, std::uint64_t{1}, std::min<std::uint64_t>(most, 1000)})
        for (const bool from_the_end : {false, true}) {
          std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
          for (auto& key : keys) key = from_the_end ? most - random.below(range) : random.below(range);
          std::sort(keys.begin(), keys.end());
          ASSERT_NO_FATAL_FAILURE(expect_begins(device, table, keys, key_bits))
              << n << " keys of " << key_bits << " bits";
        }
    }
  }
}

TEST_F(PrefixTable, HasAnEntryForAboutSixteenKeys) {
  test::Device device;
  cuda::SortedPoints order{};
  order.key_bits = 63;
  for (const auto& [n, bits] : {std::pair{std::int64_t{0}, 1}, {1, 1}, {1 << 10, 6}, {1 << 23, 19}, {1 << 26, 20}})
    EXPECT_EQ(cuda::PrefixTable(device.pool(), n).bits_for(order), bits) << n;
}

}  // namespace
}  // namespace kann
