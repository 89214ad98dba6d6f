#include "scans/measure_scans.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

#include "kann/error.hpp"

#include "common/published.hpp"
#include "common/table.hpp"
#include "cuda/runtime/buffer.hpp"
#include "scans/scans.hpp"

namespace kann::bench {
namespace {

using cuda::check;
constexpr double k_copy_target = 0.80;  // minimum, as a fraction of the bandwidth of a copy
constexpr double k_cub_target = 0.95;   // minimum time of CUB / time
constexpr int k_target_log2 = 28;

/// Device arrays of `capacity` elements, and a timer for work on them.
class Bench {
 public:
  explicit Bench(std::int64_t capacity)
      : pool_(stream_),
        in_(pool_, capacity),
        out_(pool_, capacity),
        temp_(pool_, static_cast<std::int64_t>(single_pass_temp_bytes(capacity))),
        arrays{in_.data(), out_.data(), temp_.data(), static_cast<std::size_t>(temp_.size())} {}

  cudaStream_t stream() const { return stream_; }

  /// Seconds of one call of queue(). Short work is queued several times between two events, and the mean is used.
  template <class F>
  Spread time(int repeat, std::int64_t n, F&& queue) {
    const int batch = static_cast<int>(std::clamp<std::int64_t>((std::int64_t{1} << 24) / n, 1, 64));
    return measure(repeat, [&] {
      cuda::Event begin, end;
      begin.record(stream_);
      for (int i = 0; i < batch; ++i) queue();
      end.record(stream_);
      stream_.synchronize();
      return end.seconds_since(begin) / batch;
    });
  }

  void upload(const std::vector<std::uint32_t>& values) {
    check(cudaMemcpyAsync(arrays.d_in, values.data(), values.size() * 4, cudaMemcpyHostToDevice, stream_), "upload");
  }
  /// Downloads the first n results, and overwrites them, so that the next check cannot see the results of this scan.
  std::vector<std::uint32_t> take(std::int64_t n) {
    std::vector<std::uint32_t> out(static_cast<std::size_t>(n));
    check(cudaMemcpyAsync(out.data(), arrays.d_out, out.size() * 4, cudaMemcpyDeviceToHost, stream_), "download");
    check(cudaMemsetAsync(arrays.d_out, 0xff, out.size() * 4, stream_), "wipe");
    stream_.synchronize();
    return out;
  }

 private:
  cuda::Stream stream_;
  cuda::Pool pool_;
  cuda::Buffer<std::uint32_t> in_, out_;
  cuda::Buffer<std::byte> temp_;

 public:
  ScanArrays arrays;
};

/// Pseudorandom 32-bit numbers of a fixed seed.
std::vector<std::uint32_t> random_words(std::int64_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(n));
  std::uint64_t state = seed * 2 + 1;
  for (std::uint32_t& word : words)
    word = static_cast<std::uint32_t>((state = state * 6364136223846793005u + 1442695040888963407u) >> 33);
  return words;
}

/// Compares every segmented scan with one on the host, for segments of 3, 8, 32, 1 and of mixed lengths. Pass an n that
/// is no multiple of 4, to test an incomplete last vector.
void check_segmented(Bench& bench, std::int64_t n, std::uint64_t seed, Report& report) {
  std::vector<std::uint32_t> flags = random_words(n, seed);
  for (std::uint32_t& flag : flags) flag &= 1;
  bench.upload(flags);
  for (const unsigned heads : {0x49249249u, 0x01010101u, 1u, 0x80108421u, 0xffffffffu})
    for (const DeviceScan& scan : segmented_scans(heads)) {
      scan.launch(bench.arrays, n, bench.stream());
      const auto sums = bench.take(n);
      std::uint32_t sum = 0;
      bool same = true;
      for (std::int64_t i = 0; i < n; ++i) {
        if (i % 32 == 0 || heads >> i % 32 & 1) sum = 0;
        same = same && sums[i] == sum;
        sum += flags[i];
      }
      report.check(fmt::format("segmented scan '{}', heads {:08x}, {} flags, equals the host's", scan.name, heads, n),
                   same);
    }
}

/// Compares every single-pass scan with one on the host.
void check_single_pass(Bench& bench, std::int64_t n, std::uint64_t seed, Report& report) {
  const std::vector<std::uint32_t> values = random_words(n, seed);
  bench.upload(values);
  for (const DeviceScan& scan : single_pass_scans()) {
    scan.launch(bench.arrays, n, bench.stream());
    const auto sums = bench.take(n);
    std::uint32_t sum = 0;
    bool same = true;
    for (std::int64_t i = 0; i < n; ++i) {
      same = same && sums[i] == sum;
      sum += values[i];
    }
    report.check(fmt::format("single-pass scan '{}', {} elements, equals the host's", scan.name, n), same);
  }
}

double tb_per_s(std::int64_t bytes, double seconds) { return static_cast<double>(bytes) / seconds * 1e-12; }

/// The faster of cudaMemcpyAsync and copy_by_kernel(), which defines the bandwidth of a copy.
Spread time_copy(Bench& bench, int repeat, std::int64_t n) {
  const auto bytes = static_cast<std::size_t>(n) * 4;
  const ScanArrays& a = bench.arrays;
  const Spread runtime = bench.time(repeat, n, [&] {
    check(cudaMemcpyAsync(a.d_out, a.d_in, bytes, cudaMemcpyDeviceToDevice, bench.stream()), "copy");
  });
  const Spread kernel = bench.time(repeat, n, [&] { copy_by_kernel(a.d_in, a.d_out, n, bench.stream()); });
  return runtime.best < kernel.best ? runtime : kernel;
}

}  // namespace

void measure_segmented_scans(const Program& program, const ScanSettings& settings, Report& report) {
  if (!program.wants("segmented") || settings.max_log2 < k_scan_table_4.front().log2) return;
  Bench bench(std::int64_t{1} << settings.max_log2);
  check_segmented(bench, (1 << 20) + 12345, program.seed, report);

  constexpr unsigned heads = 0x49249249u;  // segments of three; in the paper, all patterns are equally fast
  const auto scans = segmented_scans(heads);
  std::vector<std::string> headers = {"n", "published", "copy", "fill+scan"};
  for (const DeviceScan& scan : scans) headers.push_back(scan.name);
  const Table table(report.text(), "Scan paper, Table 4: segmented scan, ms (and part of the copy's bandwidth)", 5,
                    headers);
  for (const auto& row : k_scan_table_4) {
    if (row.log2 > settings.max_log2) break;
    const std::int64_t n = std::int64_t{1} << row.log2, bytes = 8 * n;  // per element, 4 read and 4 written
    fill_ones(bench.arrays.d_in, n, bench.stream());
    const Spread copy = time_copy(bench, program.repeat, n);
    const Spread both = bench.time(program.repeat, n, [&] {
      fill_ones(bench.arrays.d_in, n, bench.stream());
      scans.back().launch(bench.arrays, n, bench.stream());
    });
    std::vector<std::string> cells = {power_text(row.log2), number_text(row.ms, 0), ms_text(copy.best),
                                      ms_text(both.best)};
    double best = std::numeric_limits<double>::infinity();
    for (const DeviceScan& scan : scans) {
      const Spread spread = bench.time(program.repeat, n, [&] { scan.launch(bench.arrays, n, bench.stream()); });
      cells.push_back(fmt::format("{} ({:.2f})", ms_text(spread.best), copy.best / spread.best));
      best = std::min(best, spread.best);
      report.add({{"what", "segmented"},
                  {"scan", scan.name},
                  {"log2", row.log2},
                  {"ms", ms_json(spread)},
                  {"bytes", bytes},
                  {"tb_per_s", tb_per_s(bytes, spread.best)},
                  {"copy_ms", ms_json(copy)},
                  {"copy_tb_per_s", tb_per_s(bytes, copy.best)},
                  {"part_of_copy", copy.best / spread.best},
                  {"fill_and_scan_ms", ms_json(both)},
                  {"published_ms", row.ms}});
    }
    table.row(cells);
    if (row.log2 == k_target_log2)
      report.target("segmented scan of 2^28: part of the copy's bandwidth", copy.best / best, Report::Wanted::at_least,
                    k_copy_target);
  }
}

void measure_single_pass_scans(const Program& program, const ScanSettings& settings, Report& report) {
  if (!program.wants("single-pass")) return;
  Bench bench(std::int64_t{1} << settings.max_log2);
  const std::int64_t odd = (std::int64_t{1} << std::min(settings.max_log2 - 1, 20)) + 345;
  for (const std::int64_t n : {std::int64_t{1000}, odd}) check_single_pass(bench, n, program.seed, report);

  const auto scans = single_pass_scans();
  std::vector<std::string> headers = {"n", "copy ms", "cub ms"};
  for (std::size_t s = 1; s < scans.size(); ++s) headers.push_back(scans[s].name);
  const Table table(report.text(),
                    "Exclusive sums of 32-bit numbers: cub::DeviceScan's time / ours (0.95 or more is wanted)", 5,
                    headers);
  for (int log2 = settings.min_log2; log2 <= settings.max_log2; ++log2) {
    const std::int64_t n = std::int64_t{1} << log2, bytes = 8 * n;
    fill_ones(bench.arrays.d_in, n, bench.stream());
    const Spread copy = time_copy(bench, program.repeat, n);
    std::vector<std::string> cells = {power_text(log2), ms_text(copy.best)};
    double cub = 0;
    for (const DeviceScan& scan : scans) {
      const Spread spread = bench.time(program.repeat, n, [&] { scan.launch(bench.arrays, n, bench.stream()); });
      if (cells.size() == 2) cub = spread.best;
      cells.push_back(cells.size() == 2 ? ms_text(cub) : number_text(cub / spread.best, 2));
      report.add({{"what", "single-pass"},
                  {"scan", scan.name},
                  {"log2", log2},
                  {"ms", ms_json(spread)},
                  {"bytes", bytes},
                  {"tb_per_s", tb_per_s(bytes, spread.best)},
                  {"copy_ms", ms_json(copy)},
                  {"part_of_copy", copy.best / spread.best},
                  {"cub_over_ours", cub / spread.best}});
      if (scan.name == "Kogge-Stone")
        report.target(fmt::format("single-pass scan of 2^{}: time of cub::DeviceScan / ours", log2), cub / spread.best,
                      Report::Wanted::at_least, k_cub_target);
    }
    table.row(cells);
  }
}

}  // namespace kann::bench
