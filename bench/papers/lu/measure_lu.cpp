#include "papers/lu/measure_lu.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "common/table.hpp"
#include "papers/lu/lu_case.hpp"

namespace kann::bench {
namespace {

constexpr int k_first_n = 128;    // below the paper's sizes: the forecast of the slowest blocks begins here
constexpr int k_paper_n = 1024;   // the paper's sizes are its multiples
constexpr int k_paper_side = 16;  // the largest side of a block in the paper

double gflops(int n, double seconds) { return 2.0 / 3.0 * n * n * n / seconds * 1e-9; }

std::string ms_and_gflops(int n, double seconds) {
  return fmt::format("{} ({:.3g})", ms_text(seconds), gflops(n, seconds));
}

/// One record, and one check of the residual. Figures 6 and 7 are pictures: the text has no numbers to put beside.
template <class Real>
void add(Report& report, const std::string& way, int side, int n, bool pivoting, const Spread& spread,
         double residual) {
  Json record = {{"what", way}, {"precision", precision_name<Real>()}, {"n", n}, {"pivoting", pivoting}};
  if (side) record["block_side"] = side;
  record["ms"] = ms_json(spread);
  record["gflop_per_s"] = gflops(n, spread.best);
  record["residual"] = residual;
  record["published_figure"] = "6 and 7";
  record["published_ms"] = nullptr;
  report.add(std::move(record));
  report.check(fmt::format("LU, {}, {}, n = {}, {} pivoting: the residual is small", way, precision_name<Real>(), n,
                           pivoting ? "with" : "without"),
               residual <= max_residual<Real>(n), fmt::format("{:g}", residual));
}

template <class Real>
void measure_grid(const Program& program, int n, bool pivoting, const Table& table, Report& report) {
  LuCase<Real> lu(n, pivoting, program.seed);
  const auto timed_by = [&](const auto& factor) { return measure(program.repeat, [&] { return lu.seconds(factor); }); };
  const Spread grid = timed_by([&](const DeviceMatrix<Real>& matrix) { factor_on_whole_grid(matrix, lu.stream()); });
  add<Real>(report, "whole grid", 0, n, pivoting, grid, lu.residual(0));
  std::vector<std::string> cells = {precision_name<Real>(), fmt::format("{}", n), pivoting ? "yes" : "no",
                                    ms_and_gflops(n, grid.best)};
  if (const auto vendor = make_vendor_lu(lu.stream())) {
    const Spread spread = timed_by([&](const DeviceMatrix<Real>& matrix) { vendor->factor(matrix); });
    add<Real>(report, "cuSOLVER", 0, n, pivoting, spread, lu.residual(1));
    cells.push_back(ms_and_gflops(n, spread.best));
  }
  table.row(cells);
}

/// The sizes of one block: three below the paper's, and the paper's.
std::vector<int> one_block_sizes(int max_n) {
  std::vector<int> sizes;
  for (int n = k_first_n; n <= max_n; n = n < k_paper_n ? 2 * n : n + k_paper_n) sizes.push_back(n);
  return sizes;
}

/// One size of block, at growing n. The work grows with n³, by which the time of the next n is forecast; what would
/// take longer than the limit is skipped, and long runs are repeated less.
template <class Real>
void measure_one_block(const Program& program, const LuSettings& settings, int side, bool pivoting, const Table& table,
                       Report& report) {
  const double limit = settings.limit_ms * 1e-3;
  std::vector<std::string> cells = {
      fmt::format("{0} × {0}, {1}, {2} pivoting", side, precision_name<Real>(), pivoting ? "with" : "without")};
  double last = 0;
  int last_n = 0;
  for (const int n : one_block_sizes(settings.max_n)) {
    const double growth = last_n ? static_cast<double>(n) / last_n : 0;
    const double forecast = last * growth * growth * growth;
    const std::string name = fmt::format("one block of {0} × {0}", side);
    if (forecast > limit) {
      report.skip(
          fmt::format("{}, {}, {} pivoting, n = {}", name, precision_name<Real>(), pivoting ? "with" : "without", n),
          fmt::format("about {:.1f} s are expected, --limit-ms is {}", forecast, settings.limit_ms));
      break;
    }
    LuCase<Real> lu(n, pivoting, program.seed);
    const auto run = [&] {
      return lu.seconds([&](const DeviceMatrix<Real>& matrix) { factor_in_one_block(matrix, side, lu.stream()); });
    };
    // The smaller n have warmed up the longest runs.
    const int repeat = forecast > 0 ? std::clamp(static_cast<int>(limit / forecast), 1, program.repeat) : 1;
    std::vector<double> seconds;
    if (repeat > 1 || last_n == 0) run();
    for (int i = 0; i < repeat; ++i) seconds.push_back(run());
    const Spread spread = spread_of(seconds);
    add<Real>(report, name, side, n, pivoting, spread, lu.residual(0));
    cells.push_back(ms_and_gflops(n, spread.best));
    last = spread.best;
    last_n = n;
  }
  table.row(cells);
}

}  // namespace

void measure_lu(const Program& program, const LuSettings& settings, Report& report) {
  if (program.wants("grid")) {
    const Table table(report.text(), "LU paper, its steps on the whole grid and cuSOLVER, ms (Gflop/s)", 9,
                      {"precision", "n", "pivoting", "       whole grid", "         cuSOLVER"});
    for (int n = k_paper_n; n <= settings.max_n; n += k_paper_n)
      for (const bool pivoting : {false, true}) {
        measure_grid<float>(program, n, pivoting, table, report);
        measure_grid<double>(program, n, pivoting, table, report);
      }
  }
  if (!program.wants("one block")) return;
  std::vector<std::string> headers = {"threads of the block"};
  for (const int n : one_block_sizes(settings.max_n))
    headers.push_back(fmt::format("{:>16}", fmt::format("n = {}", n)));
  const Table table(report.text(), "LU paper, figures 6 and 7: one block, ms (Gflop/s)", 34, headers);
  for (const int side : k_block_sides)
    for (const bool pivoting : {false, true})
      measure_one_block<float>(program, settings, side, pivoting, table, report);
  for (const bool pivoting : {false, true})
    measure_one_block<double>(program, settings, k_paper_side, pivoting, table, report);
}

}  // namespace kann::bench
