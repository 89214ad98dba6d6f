// What placing points does beside: the keys of later shifts, the report on coarse bits, and the check of crowded cells.
#include <numeric>

#include "cuda/order/place.hpp"
#include "cuda/order/sort_depth.hpp"
#include "cuda/search_context.hpp"

namespace kann {
namespace {

class PlaceReport : public test::GpuTest {};

/// The code of the point whose every cell is `cells`.
std::uint64_t code_of_cells(int d, std::uint32_t cells) {
  return test::interleaved(std::vector<std::uint32_t>(static_cast<std::size_t>(d), cells), d == 3 ? 21 : 31);
}

/// Places the points of a case in shift 0, with the keys of shifts 1 and 2 and a report.
void expect_report_and_later_keys(const test::Case& c) {
  test::UploadedCase on_device(c);
  const problem::Problem& p = on_device.p;
  const std::int64_t n = p.data_count;
  const cuda::Shift shift = test::shift_of(p, 0);
  const auto layout = cuda::key_layout(n, shift.bits, cuda::unused_bits(shift), 40, 40);
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
    keys.push_back(test::morton_prefix(p, i, 0, layout.prefix_bits) << layout.payload_bits | i);
  std::sort(keys.begin(), keys.end());

  const auto d_keys = on_device.upload(keys);
  const auto d_report = on_device.upload(std::vector<cuda::OrderReport>{{0, 0, 0}});
  const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(n);
  const cuda::Buffer<std::uint64_t> d_later[2] = {on_device.poisoned<std::uint64_t>(n),
                                                  on_device.poisoned<std::uint64_t>(n)};
  cuda::Placing placing{};
  placing.d_keys = d_keys.data();
  placing.count = n;
  placing.shift = shift;
  placing.layout = layout;
  placing.source = on_device.data_rows();
  placing.d_placed = d_placed.data();
  placing.reports_runs = true;
  placing.d_report = d_report.data();
  placing.later.count = 2;
  constexpr int prefix_bits[] = {33, 40};
  for (const int j : {1, 2}) {
    placing.later.shift_codes[j - 1] = code_of_cells(p.dimensions, test::shift_of(p, j).cells);
    placing.later.prefix_bits[j - 1] = prefix_bits[j - 1];
    placing.later.d_keys[j - 1] = d_later[j - 1].data();
  }
  cuda::place_packed(placing, on_device.context.stream);

  // The keys of later shifts: of each placed point, with its place
  const auto placed = on_device.download(d_placed);
  for (const int j : {1, 2}) {
    const auto later = on_device.download(d_later[j - 1]);
    for (std::size_t place = 0; place < placed.size(); ++place)
      ASSERT_EQ(later[place],
                test::morton_prefix(p, placed[place].index, j, prefix_bits[j - 1]) << layout.payload_bits | place)
          << c.name << " shift " << j << " place " << place;
  }

  // The report: of one block in 16, and of runs anywhere
  const int coarse_bit = layout.payload_bits + layout.prefix_bits - cuda::k_coarse_bits;
  const auto shares = [&](std::size_t i, std::size_t j) { return keys[i] >> coarse_bit == keys[j] >> coarse_bit; };
  std::uint32_t sampled = 0;
  bool has_long = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    sampled += i > 0 && i / 256 % cuda::k_sample_blocks == 0 && shares(i, i - 1);
    has_long |= i >= cuda::k_long_coarse_run && shares(i, i - cuda::k_long_coarse_run);
  }
  const cuda::OrderReport report = on_device.download(d_report)[0];
  EXPECT_EQ(report.sampled_coarse_runs, sampled) << c.name;
  EXPECT_EQ(report.has_long_coarse_runs != 0, has_long) << c.name;
}

TEST_F(PlaceReport, HasTheCoarseRunsAndTheKeysOfLaterShifts) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {1, 255, 257, 4999})
      for (const auto& c : test::data_cases(n, d, 86))
        ASSERT_NO_FATAL_FAILURE(expect_report_and_later_keys(c)) << c.name;
}

TEST_F(PlaceReport, ALongRunIsOneOfMoreThan24Points) {
  for (const int run : {24, 25}) {
    // Points of one cell, and others far apart on a line
    const auto cloud = test::make_cloud(
        300, 3, [&](std::int64_t i, int) { return i < run ? 0.1 : 0.5 + static_cast<double>(i) / 600; });
    ASSERT_NO_FATAL_FAILURE(expect_report_and_later_keys({"a run", test::to_points(cloud, 3), std::nullopt})) << run;
  }
}

TEST_F(PlaceReport, PlacedIndicesAreThePointsNamed) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {0, 1, 2, 255, 256, 257}) {
      const test::Case c{"uniform", test::to_points(test::uniform(n, d, 87), d), std::nullopt};
      test::UploadedCase on_device(c);
      std::vector<std::uint32_t> rows(static_cast<std::size_t>(n));
      std::iota(rows.rbegin(), rows.rend(), 0u);
      const auto d_rows = on_device.upload(rows);
      const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(n);
      cuda::place_indices(d_rows.data(), n, d, on_device.data_rows(), d_placed.data(), on_device.context.stream);
      ASSERT_NO_FATAL_FAILURE(test::expect_placed(on_device.p, rows, on_device.download(d_placed))) << n;
    }
}

/// The check of points on a diagonal, ascending but for those that `swaps` exchange with the next; `key_of` their
/// cells.
template <class KeyOf>
bool is_incomplete(std::int64_t n, KeyOf key_of, const std::vector<std::size_t>& swaps) {
  std::vector<cuda::PlacedPoint> points;
  std::vector<std::uint64_t> keys;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto x = static_cast<float>(i) - 100;
    points.push_back({x, x, x, static_cast<std::uint32_t>(i)});
    keys.push_back(key_of(i));
  }
  for (const std::size_t i : swaps) std::swap(points[i], points[i + 1]);
  test::Device device;
  const auto d_points = device.upload(points);
  const auto d_keys = device.upload(keys);
  const auto d_report = device.upload(std::vector<cuda::OrderReport>{{0, 0, 0}});
  cuda::check_crowded_cells(d_keys.data(), n, 3, d_points.data(), nullptr, d_report.data(), device.stream());
  return device.download(d_report)[0].incomplete != 0;
}

TEST_F(PlaceReport, CrowdedCellsOutOfFineOrderAreIncomplete) {
  const auto one_cell = [](std::int64_t) { return std::uint64_t{7}; };
  for (const std::int64_t n : {0, 1, 128, 129, 257, 400}) EXPECT_FALSE(is_incomplete(n, one_cell, {})) << n;
  for (const std::size_t swap : {128, 200, 398}) EXPECT_TRUE(is_incomplete(400, one_cell, {swap})) << swap;
  // As many as 128 points of a cell may be in any order
  EXPECT_FALSE(is_incomplete(128, one_cell, {0, 50, 126}));
  const auto cells_of_128 = [](std::int64_t i) { return static_cast<std::uint64_t>(i) / 128; };
  EXPECT_FALSE(is_incomplete(512, cells_of_128, {0, 127, 200, 400}));
}

}  // namespace
}  // namespace kann
