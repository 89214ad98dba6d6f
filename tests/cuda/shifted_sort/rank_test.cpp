// Ranks of queries in the order of a shift, against std::upper_bound on whole codes; and the table of leading bit
// patterns with which they begin, against std::lower_bound.
#include "cuda/shifted_sort/rank.hpp"

#include <algorithm>

#include "cuda/order/key_layout.hpp"
#include "cuda/search_context.hpp"
#include "cuda/shifted_sort/prefix_table.hpp"

namespace kann::test {
namespace {

class PrefixTable : public GpuTest {};

/// Fills the table for sorted keys of `key_bits` bits and compares every entry.
void expect_begins(Device& device, cuda::PrefixTable& table, const std::vector<std::uint64_t>& keys, int key_bits) {
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
  const auto begins = device.download(table.d_begins(), patterns + 1);
  for (std::int64_t b = 0; b < patterns; ++b) {
    const auto first = static_cast<std::uint64_t>(b) << (key_bits - bits);
    ASSERT_EQ(begins[b], std::lower_bound(keys.begin(), keys.end(), first) - keys.begin()) << "pattern " << b;
  }
  ASSERT_EQ(begins[patterns], keys.size());
}

TEST_F(PrefixTable, SaysWhereTheKeysOfEachPatternBegin) {
  Random random(97);
  Device device;
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
  Device device;
  cuda::SortedPoints order{};
  order.key_bits = 63;
  for (const auto& [n, bits] : {std::pair{std::int64_t{0}, 1}, {1, 1}, {1 << 10, 6}, {1 << 23, 19}, {1 << 26, 20}})
    EXPECT_EQ(cuda::PrefixTable(device.pool(), n).bits_for(order), bits) << n;
}

class Rank : public GpuTest {};

/// An order that the host made: points by (code, index), and keys of the first `prefix` bits of their codes.
struct HostOrder {
  HostOrder(UploadedCase& on_device, int j, int prefix) : shift(shift_of(on_device.p, j)) {
    const problem::Problem& p = on_device.p;
    const auto layout = cuda::key_layout(p.data_count, code_bits(p), cuda::unused_bits(shift), prefix, prefix);
    rows = sorted_by(p.data_count, [&](std::size_t i) { return morton_prefix(p, i, j, code_bits(p)); });
    std::vector<std::uint64_t> keys;
    std::vector<cuda::PlacedPoint> placed;
    for (const std::uint32_t row : rows) {
      codes.push_back(morton_prefix(p, row, j, code_bits(p)));
      keys.push_back(codes.back() >> layout.rest_bits << layout.payload_bits | row);
      placed.push_back(placed_point(p.data, p.dimensions, row));
    }
    d_keys = on_device.upload(keys);
    d_placed = on_device.upload(placed);
    points = {d_keys.data(),     d_placed.data(),  p.data_count, layout.payload_bits,
              layout.key_bits(), layout.rest_bits, p.grid};
  }

  std::uint32_t rank(std::uint64_t code) const {
    return static_cast<std::uint32_t>(std::upper_bound(codes.begin(), codes.end(), code) - codes.begin());
  }

  cuda::Shift shift;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> codes;
  cuda::Buffer<std::uint64_t> d_keys;
  cuda::Buffer<cuda::PlacedPoint> d_placed;
  cuda::SortedPoints points;
};

/// Ranks of the queries, taken from their rows in reverse, or `placed` in that order before.
void expect_ranks(UploadedCase& on_device, int j, int prefix, bool placed) {
  const problem::Problem& p = on_device.p;
  const std::int64_t m = p.query_count;
  const HostOrder order(on_device, j, prefix);
  cuda::PrefixTable table(on_device.pool(), p.data_count);
  table.fill(order.points, on_device.stream());

  std::vector<std::uint32_t> rows;
  std::vector<cuda::PlacedPoint> points;
  for (std::int64_t row = m - 1; row >= 0; --row) {
    rows.push_back(static_cast<std::uint32_t>(row));
    points.push_back(placed_point(p.queries, p.dimensions, static_cast<std::size_t>(row)));
  }
  const auto d_rows = on_device.upload(rows);
  const auto d_points = on_device.upload(points);
  const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(m);
  const auto d_ranks = on_device.poisoned<std::uint32_t>(m);
  const cuda::PointSequence queries =
      placed ? cuda::PointSequence{{nullptr, d_points.data(), p.grid}, nullptr}
             : cuda::PointSequence{{on_device.context.d_queries(), nullptr, p.grid}, d_rows.data()};
  cuda::rank_queries(order.points, table, queries, m, order.shift, placed ? nullptr : d_placed.data(), d_ranks.data(),
                     on_device.stream());
  const auto ranks = on_device.download(d_ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ASSERT_EQ(ranks[i], order.rank(plain_key(p, p.queries + rows[i] * p.dimensions, j))) << "query " << rows[i];
  if (placed) return;
  const auto got_points = on_device.download(d_placed);
  for (std::size_t i = 0; i < points.size(); ++i) ASSERT_TRUE(same_point(got_points[i], points[i])) << i;
}

TEST_F(Rank, OfAQueryIsTheNumberOfCodesUpToItsOwn) {
  for (const int d : {2, 3})
    for (const auto& c : cases(1025, 300, d, 98)) {
      if (!c.queries) continue;
      UploadedCase on_device(c);
      for (const int j : {0, 1})
        for (const int prefix : {1, 9, 40})  // with a few bits, runs of equal keys are long
          for (const bool placed : {false, true})
            ASSERT_NO_FATAL_FAILURE(expect_ranks(on_device, j, prefix, placed))
                << c.name << " shift " << j << " prefix " << prefix;
    }
}

TEST_F(Rank, OfAQueryAtAwkwardSizes) {
  for (const std::int64_t n : {0, 1, 2, 3, 4, 31, 33, 255, 257})
    for (const std::int64_t m : {0, 1, 33})
      for (const auto& c : cases(n, m, 3, 99, tied_clouds())) {
        if (!c.queries) continue;
        UploadedCase on_device(c);
        for (const int prefix : {2, 40})
          ASSERT_NO_FATAL_FAILURE(expect_ranks(on_device, 1, prefix, false)) << c.name << " prefix " << prefix;
      }
}

TEST_F(Rank, OfTheOrdersOwnPointsIsTheEndOfTheirRun) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {1, 2, 33, 257, 1025})
      for (const auto& c : data_cases(n, d, 100)) {
        UploadedCase on_device(c);
        for (const int j : {0, 1})
          for (const int prefix : {1, 9, 40})
            for (const bool by_index : {false, true}) {
              const HostOrder order(on_device, j, prefix);
              const auto d_ranks = on_device.poisoned<std::uint32_t>(n);
              cuda::rank_own(order.points, by_index, order.shift, d_ranks.data(), on_device.stream());
              const auto ranks = on_device.download(d_ranks);
              for (std::size_t i = 0; i < order.rows.size(); ++i)
                ASSERT_EQ(ranks[by_index ? order.rows[i] : i], order.rank(order.codes[i]))
                    << c.name << " shift " << j << " prefix " << prefix << " place " << i;
            }
      }
}

}  // namespace
}  // namespace kann::test
