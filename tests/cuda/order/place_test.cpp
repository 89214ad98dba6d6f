// Points placed from sorted packed keys, against std::sort: runs of equal sorted bits, short and long.
#include "cuda/order/place.hpp"

#include "cuda/order/encode.hpp"
#include "cuda/search_context.hpp"

namespace kann {
namespace {

class Place : public test::GpuTest {};

constexpr std::size_t k_short_run = 64;  // as in place.cu

/// A case whose keys were sorted by their first bits on the host.
struct SortedCase {
  /// The keys of the first shift or, with `hilbert`, of the Hilbert curve: `prefix` bits, sorted by `sorted` of them.
  SortedCase(test::UploadedCase& c, bool hilbert_curve, int prefix, int sorted)
      : on_device(c), p(c.p), hilbert(hilbert_curve) {
    shift = hilbert ? cuda::hilbert_curve(p.dimensions) : test::shift_of(p, 0);
    layout = cuda::key_layout(p.data_count, shift.bits, cuda::unused_bits(shift), prefix, sorted);
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.data_count); ++i)
      keys.push_back((hilbert ? test::hilbert_place(p, i) >> (60 - layout.prefix_bits)
                              : test::morton_prefix(p, i, 0, layout.prefix_bits))
                         << layout.payload_bits |
                     i);
    std::ranges::stable_sort(keys, {}, [&](std::uint64_t key) { return key >> layout.first_sorted_bit(); });
    right = test::sorted_by(p.data_count, [&](std::size_t i) { return place_of(i); });
    rank.resize(right.size());
    for (std::size_t i = 0; i < right.size(); ++i) rank[right[i]] = i;
  }

  /// What orders point i: its whole code and, on the Hilbert curve, its coordinates.
  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> place_of(std::size_t i) const {
    if (!hilbert) return {test::morton_prefix(p, i, 0, test::code_bits(p)), 0, 0};
    const auto [high, low] = test::fine_place(p, i);
    return {test::hilbert_place(p, i), high, low};
  }
  std::uint32_t row(std::size_t i) const {
    return static_cast<std::uint32_t>(keys[i] & ((std::uint64_t{1} << layout.payload_bits) - 1));
  }

  test::UploadedCase& on_device;
  const problem::Problem& p;
  bool hilbert;
  cuda::Shift shift;
  cuda::KeyLayout layout;
  std::vector<std::uint64_t> keys;   // sorted by their first bits
  std::vector<std::uint32_t> right;  // rows in the right order
  std::vector<std::size_t> rank;     // of a row in it
};

/// Points of short runs must be in the right order, and those of long runs in the order of their keys; the report must
/// say whether a long run is out of order.
void expect_runs_placed(const SortedCase& c) {
  test::UploadedCase& on_device = c.on_device;
  const std::int64_t n = c.p.data_count;
  const auto d_keys = on_device.upload(c.keys);
  const auto d_report = on_device.upload(std::vector<cuda::OrderReport>{{0, 0, 0}});
  const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(n);
  const auto d_placed_keys = on_device.poisoned<std::uint64_t>(n);
  cuda::Placing placing{};
  placing.d_keys = d_keys.data();
  placing.count = n;
  placing.shift = c.shift;
  placing.layout = c.layout;
  placing.source = on_device.data_rows();
  placing.d_placed = d_placed.data();
  placing.d_placed_keys = d_placed_keys.data();
  placing.d_report = d_report.data();
  cuda::place_packed(placing, on_device.context.stream);
  const auto placed = on_device.download(d_placed);
  const auto placed_keys = on_device.download(d_placed_keys);

  std::vector<std::uint32_t> rows(c.keys.size());
  std::vector<std::uint64_t> keys(c.keys.size());
  bool incomplete = false;
  const int first_bit = c.layout.first_sorted_bit();
  const bool all_sorted = c.layout.rest_bits == 0 && c.layout.sorts_prefix() && !c.hilbert;
  for (std::size_t begin = 0, end; begin < keys.size(); begin = end) {
    for (end = begin; end < keys.size() && c.keys[end] >> first_bit == c.keys[begin] >> first_bit;) ++end;
    const bool is_short = end - begin <= k_short_run;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t place = is_short || all_sorted ? c.rank[c.row(i)] : i;
      rows[place] = c.row(i);
      keys[place] = c.keys[i];
      if (!is_short && i + 1 < end) incomplete |= c.rank[c.row(i + 1)] < c.rank[c.row(i)];
    }
  }
  ASSERT_NO_FATAL_FAILURE(test::expect_placed(c.p, rows, placed));
  ASSERT_EQ(placed_keys, keys);
  ASSERT_EQ(on_device.download(d_report)[0].incomplete != 0, incomplete);
}

TEST_F(Place, PutsRunsInTheOrderOfCodeAndIndex) {
  for (const int d : {2, 3})
    for (const auto& c : test::data_cases(1025, d, 83)) {
      test::UploadedCase on_device(c);
      for (const auto& [prefix, sorted] : {std::pair{40, 40}, {40, 32}, {40, 9}, {12, 12}, {12, 9}, {4, 4}, {63, 5}})
        ASSERT_NO_FATAL_FAILURE(expect_runs_placed({on_device, false, prefix, sorted}))
            << c.name << " " << prefix << " " << sorted;
    }
}

TEST_F(Place, PutsRunsOfAnyLengthInOrder) {
  for (const std::int64_t n : {0, 1, 2, 3, 31, 33, 63, 64, 65, 66, 255, 256, 257})
    for (const auto& c : test::data_cases(n, 3, 84, test::tied_clouds())) {
      test::UploadedCase on_device(c);
      for (const int sorted : {1, 4, 32})
        ASSERT_NO_FATAL_FAILURE(expect_runs_placed({on_device, false, 40, sorted})) << c.name << " " << sorted;
    }
}

TEST_F(Place, PutsPointsOfOneHilbertCellInFineOrder) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {1, 33, 1025})
      for (const auto& c : test::data_cases(n, d, 85)) {
        test::UploadedCase on_device(c);
        for (const auto& [prefix, sorted] : {std::pair{40, 40}, {40, 10}})
          ASSERT_NO_FATAL_FAILURE(expect_runs_placed({on_device, true, prefix, sorted}))
              << c.name << " " << prefix << " " << sorted;
      }
}

}  // namespace
}  // namespace kann
