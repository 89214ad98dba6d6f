// Points placed from sorted packed keys, against std::sort: runs of equal sorted bits, short and long. What placing
// does beside: the keys of later shifts, and the reports on coarse bits and on crowds, which reach the host as they
// were.
#include "cuda/order/place.hpp"

#include <numeric>

#include "cuda/order/encode.hpp"
#include "cuda/order/report_channel.hpp"
#include "cuda/order/sort_depth.hpp"
#include "cuda/search_context.hpp"

namespace kann::test {
namespace {

class Place : public GpuTest {};

constexpr std::size_t k_short_run = 64;  // as in place.cu

/// A case whose keys were sorted by their first bits on the host.
struct SortedCase {
  /// The keys of the first shift: `prefix` bits, sorted by `sorted` of them.
  SortedCase(UploadedCase& c, int prefix, int sorted) : on_device(c), p(c.p), shift(shift_of(c.p, 0)) {
    layout = cuda::key_layout(p.data_count, shift.bits, cuda::unused_bits(shift), prefix, sorted);
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.data_count); ++i)
      keys.push_back(morton_prefix(p, i, 0, layout.prefix_bits) << layout.payload_bits | i);
    std::ranges::stable_sort(keys, {}, [&](std::uint64_t key) { return key >> layout.first_sorted_bit(); });
    right = sorted_by(p.data_count, [&](std::size_t i) { return morton_prefix(p, i, 0, code_bits(p)); });
    rank.resize(right.size());
    for (std::size_t i = 0; i < right.size(); ++i) rank[right[i]] = i;
  }

  std::uint32_t row(std::size_t i) const {
    return static_cast<std::uint32_t>(keys[i] & ((std::uint64_t{1} << layout.payload_bits) - 1));
  }

  UploadedCase& on_device;
  const problem::Problem& p;
  cuda::Shift shift;
  cuda::KeyLayout layout;
  std::vector<std::uint64_t> keys;   // sorted by their first bits
  std::vector<std::uint32_t> right;  // rows in the right order
  std::vector<std::size_t> rank;     // of a row in it
};

/// The memory that the points of a case are placed from and to.
struct PlacingMemory {
  explicit PlacingMemory(const SortedCase& c)
      : d_keys(c.on_device.upload(c.keys)),
        d_report(c.on_device.upload(std::vector<cuda::OrderReport>{{0, 0, 0}})),
        d_placed(c.on_device.poisoned<cuda::PlacedPoint>(c.p.data_count)),
        d_placed_keys(c.on_device.poisoned<std::uint64_t>(c.p.data_count)) {
    placing.d_keys = d_keys.data();
    placing.count = c.p.data_count;
    placing.shift = c.shift;
    placing.layout = c.layout;
    placing.source = c.on_device.data_rows();
    placing.d_placed = d_placed.data();
    placing.d_report = d_report.data();
  }

  cuda::Buffer<std::uint64_t> d_keys;
  cuda::Buffer<cuda::OrderReport> d_report;
  cuda::Buffer<cuda::PlacedPoint> d_placed;
  cuda::Buffer<std::uint64_t> d_placed_keys;
  cuda::Placing placing{};
};

/// Points of short runs must be in the right order, and those of long runs in the order of their keys; the report must
/// say whether a long run is out of order.
void expect_runs_placed(const SortedCase& c) {
  UploadedCase& on_device = c.on_device;
  PlacingMemory memory(c);
  memory.placing.d_placed_keys = memory.d_placed_keys.data();
  cuda::place_packed(memory.placing, on_device.stream());

  std::vector<std::uint32_t> rows(c.keys.size());
  std::vector<std::uint64_t> keys(c.keys.size());
  bool incomplete = false;
  const int first_bit = c.layout.first_sorted_bit();
  const bool all_sorted = c.layout.rest_bits == 0 && c.layout.sorts_prefix();
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
  ASSERT_NO_FATAL_FAILURE(expect_placed(c.p, rows, on_device.download(memory.d_placed)));
  ASSERT_EQ(on_device.download(memory.d_placed_keys), keys);
  ASSERT_EQ(on_device.download(memory.d_report)[0].incomplete != 0, incomplete);
}

TEST_F(Place, PutsRunsInTheOrderOfCodeAndIndex) {
  for (const int d : {2, 3})
    for (const auto& c : data_cases(1025, d, 83)) {
      UploadedCase on_device(c);
      for (const auto& [prefix, sorted] : {std::pair{40, 40}, {40, 32}, {40, 9}, {12, 12}, {12, 9}, {4, 4}, {63, 5}})
        ASSERT_NO_FATAL_FAILURE(expect_runs_placed({on_device, prefix, sorted}))
            << c.name << " " << prefix << " " << sorted;
    }
}

TEST_F(Place, PutsRunsOfAnyLengthInOrder) {
  for (const std::int64_t n : {0, 1, 2, 3, 31, 33, 63, 64, 65, 66, 255, 256, 257})
    for (const auto& c : data_cases(n, 3, 84, tied_clouds())) {
      UploadedCase on_device(c);
      for (const int sorted : {1, 4, 32})
        ASSERT_NO_FATAL_FAILURE(expect_runs_placed({on_device, 40, sorted})) << c.name << " " << sorted;
    }
}

class PlaceReport : public GpuTest {};

/// The code of the point whose every cell is `cells`.
std::uint64_t code_of_cells(int d, std::uint32_t cells) {
  return interleaved(std::vector<std::uint32_t>(static_cast<std::size_t>(d), cells), d == 3 ? 21 : 31);
}

/// Places the points of a case in shift 0, with the keys of shifts 1 and 2 and a report.
void expect_report_and_later_keys(const Case& uploaded) {
  UploadedCase on_device(uploaded);
  const problem::Problem& p = on_device.p;
  const SortedCase c(on_device, 40, 40);
  PlacingMemory memory(c);
  cuda::Placing& placing = memory.placing;
  const cuda::Buffer<std::uint64_t> d_later[2] = {on_device.poisoned<std::uint64_t>(p.data_count),
                                                  on_device.poisoned<std::uint64_t>(p.data_count)};
  placing.reports_runs = true;
  placing.later.count = 2;
  constexpr int prefix_bits[] = {33, 40};
  for (const int j : {1, 2}) {
    placing.later.shift_codes[j - 1] = code_of_cells(p.dimensions, shift_of(p, j).cells);
    placing.later.prefix_bits[j - 1] = prefix_bits[j - 1];
    placing.later.d_keys[j - 1] = d_later[j - 1].data();
  }
  cuda::place_packed(placing, on_device.stream());

  // The keys of later shifts: of each placed point, with its place
  const auto placed = on_device.download(memory.d_placed);
  for (const int j : {1, 2}) {
    const auto later = on_device.download(d_later[j - 1]);
    for (std::size_t place = 0; place < placed.size(); ++place)
      ASSERT_EQ(later[place],
                morton_prefix(p, placed[place].index, j, prefix_bits[j - 1]) << c.layout.payload_bits | place)
          << uploaded.name << " shift " << j << " place " << place;
  }

  // The report: of one block in 16, and of runs anywhere
  const int coarse_bit = c.layout.payload_bits + c.layout.prefix_bits - cuda::k_coarse_bits;
  const auto shares = [&](std::size_t i, std::size_t j) { return c.keys[i] >> coarse_bit == c.keys[j] >> coarse_bit; };
  std::uint32_t sampled = 0;
  bool has_long = false;
  for (std::size_t i = 0; i < c.keys.size(); ++i) {
    sampled += i > 0 && i / 256 % cuda::k_sample_blocks == 0 && shares(i, i - 1);
    has_long |= i >= cuda::k_long_coarse_run && shares(i, i - cuda::k_long_coarse_run);
  }
  const cuda::OrderReport report = on_device.download(memory.d_report)[0];
  EXPECT_EQ(report.sampled_coarse_runs, sampled) << uploaded.name;
  EXPECT_EQ(report.has_long_coarse_runs != 0, has_long) << uploaded.name;
}

TEST_F(PlaceReport, HasTheCoarseRunsAndTheKeysOfLaterShifts) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {1, 255, 257, 4999})
      for (const auto& c : data_cases(n, d, 86)) ASSERT_NO_FATAL_FAILURE(expect_report_and_later_keys(c)) << c.name;
}

TEST_F(PlaceReport, ALongRunIsOneOfMoreThan24Points) {
  for (const int run : {24, 25}) {
    // Points of one cell, and others far apart on a line
    const auto cloud =
        make_cloud(300, 3, [&](std::int64_t i, int) { return i < run ? 0.1 : 0.5 + static_cast<double>(i) / 600; });
    ASSERT_NO_FATAL_FAILURE(expect_report_and_later_keys({"a run", to_points(cloud, 3), std::nullopt})) << run;
  }
}

TEST_F(PlaceReport, PlacedIndicesAreThePointsNamed) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {0, 1, 2, 255, 256, 257}) {
      const Case c{"uniform", to_points(uniform(n, d, 87), d), std::nullopt};
      UploadedCase on_device(c);
      std::vector<std::uint32_t> rows(static_cast<std::size_t>(n));
      std::iota(rows.rbegin(), rows.rend(), 0u);
      const auto d_rows = on_device.upload(rows);
      const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(n);
      cuda::place_indices(d_rows.data(), n, d, on_device.data_rows(), d_placed.data(), on_device.stream());
      ASSERT_NO_FATAL_FAILURE(expect_placed(on_device.p, rows, on_device.download(d_placed))) << n;
    }
}

/// Points in one row of cells of the Hilbert curve: `crowd` of them in each cell, at one place or at many.
TEST_F(PlaceReport, AlongTheCurveHasTheCrowdsOfPointsThatAreApart) {
  struct Crowd {
    std::int64_t points, of_cell;
    bool is_apart;
  };
  for (const Crowd& c : {Crowd{5000, 1, true},
                         {5000, 8, true},
                         {5000, 9, true},
                         {5000, 32, true},
                         {5000, 33, true},
                         {5000, 1024, true},
                         {5000, 1025, true},
                         {5000, 5000, false},
                         {0, 1, true},
                         {1, 1, true},
                         {300'000, 40, true}})
    for (const bool is_packed : {true, false}) {
      Device device;
      const int payload_bits = is_packed ? 20 : 0;
      std::vector<float> rows;
      std::vector<std::uint64_t> keys;
      std::vector<std::uint32_t> indices;
      for (std::int64_t i = 0; i < c.points; ++i) {
        const std::int64_t row = c.points - 1 - i;  // the first key is of the last row
        keys.push_back(static_cast<std::uint64_t>(i / c.of_cell) << payload_bits |
                       static_cast<std::uint64_t>(is_packed ? row : 0));
        indices.push_back(static_cast<std::uint32_t>(row));
        for (int a = 0; a < 3; ++a) rows.push_back(c.is_apart ? static_cast<float>(i) : 7.0f);
      }
      const auto d_rows = device.upload(rows);
      const auto d_keys = device.upload(keys);
      const auto d_indices = device.upload(indices);
      const auto d_report = device.upload(std::vector<cuda::OrderReport>{{0, 0, 0}});
      const auto d_placed = device.poisoned<cuda::PlacedPoint>(c.points);
      const cuda::Shift curve = cuda::shortened(cuda::hilbert_curve(3), 32);
      cuda::place_along_curve(d_keys.data(), payload_bits, is_packed ? nullptr : d_indices.data(), c.points, curve,
                              {d_rows.data(), nullptr, {}}, d_placed.data(), d_report.data(), device.stream());
      std::uint32_t crowded = 0, coarse = 0;
      bool has_long = false;
      const std::int64_t step = c.points > 1 << 17 ? 16 : 1;
      const auto shares = [&](std::int64_t i, std::int64_t j) {
        return j < c.points && i / c.of_cell == j / c.of_cell;
      };
      for (std::int64_t i = 0; i < c.points; ++i) {
        has_long |= c.is_apart && shares(i, i + 1024);
        if (i / 256 % step != 0) continue;
        crowded += c.is_apart && shares(i, i + 32);
        coarse += shares(i, i + 8);
      }
      const cuda::OrderReport report = device.download(d_report)[0];
      EXPECT_EQ(report.crowded, crowded) << c.of_cell;
      EXPECT_EQ(report.coarse_neighbors, coarse) << c.of_cell;
      EXPECT_EQ(report.incomplete != 0, has_long) << c.of_cell;
      const auto placed = device.download(d_placed);
      for (std::size_t i = 0; i < placed.size(); ++i)
        ASSERT_TRUE(same_point(placed[i], placed_point(rows.data(), 3, indices[i]))) << i;
    }
}

class ReportChannel : public GpuTest {};

/// Queues the report that kernels would write.
void write(Device& device, const cuda::ReportChannel& channel, const cuda::OrderReport& report) {
  cuda::check(cudaMemcpyAsync(channel.d_report(), &report, sizeof report, cudaMemcpyHostToDevice, device.stream()),
              "report");
}

void expect_right(const cuda::OrderReport& got, const cuda::OrderReport& right) {
  EXPECT_EQ(got.incomplete, right.incomplete);
  EXPECT_EQ(got.has_long_coarse_runs, right.has_long_coarse_runs);
  EXPECT_EQ(got.sampled_coarse_runs, right.sampled_coarse_runs);
}

TEST_F(ReportChannel, BeginsWithZerosAndSendsWhatIsWritten) {
  Device device;
  cuda::MappedMemory mapped(device.stream());
  cuda::ReportChannel channel(device.pool(), mapped);
  expect_right(channel.send().get(), {0, 0, 0});
  for (std::uint32_t i = 1; i < 20; ++i) {
    write(device, channel, {i, 2 * i, 0xffffffffu - i});
    const cuda::PendingReport pending = channel.send();
    expect_right(pending.get(), {i, 2 * i, 0xffffffffu - i});
    expect_right(pending.get(), {i, 2 * i, 0xffffffffu - i});  // any number of times
    if (i % 3 == 0) {
      channel.clear();
      expect_right(channel.send().get(), {0, 0, 0});
    }
  }
}

TEST_F(ReportChannel, LaterWorkDoesNotChangeAReportThatWasSent) {
  Device device;
  cuda::MappedMemory mapped(device.stream());
  if (!mapped.host()) GTEST_SKIP() << "the system maps no memory: reports are copied when they are asked for";
  cuda::ReportChannel channel(device.pool(), mapped);
  write(device, channel, {1, 2, 3});
  const cuda::PendingReport pending = channel.send();
  write(device, channel, {7, 8, 9});
  device.synchronize();
  expect_right(pending.get(), {1, 2, 3});
}

}  // namespace
}  // namespace kann::test
