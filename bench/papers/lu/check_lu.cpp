#include <fmt/format.h>

#include "papers/lu/lu_case.hpp"
#include "papers/lu/measure_lu.hpp"

namespace kann::bench {
namespace {

constexpr int k_sizes[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 100, 129};

template <class Real>
void check_case(int n, bool pivoting, std::uint64_t seed, Report& report) {
  LuCase<Real> lu(n, pivoting, seed);
  std::vector<Real> wanted = lu.host_matrix();
  const std::vector<std::int32_t> wanted_pivots = factor_on_host(wanted, n, pivoting);
  const auto what = [&](const std::string& way) {
    return fmt::format("LU, {}, {}, {} × {}, {} pivoting", way, precision_name<Real>(), n, n,
                       pivoting ? "with" : "without");
  };
  const auto compare = [&](const std::string& way) {
    report.check(what(way) + ": the pivots are the host's", lu.pivots(0) == wanted_pivots);
    report.check(what(way) + ": the factors are the host's, to the bit", lu.factors() == wanted);
  };
  for (const int side : k_block_sides) {
    lu.seconds([&](const DeviceMatrix<Real>& matrix) { factor_in_one_block(matrix, side, lu.stream()); });
    compare(fmt::format("one block of {} × {}", side, side));
  }
  lu.seconds([&](const DeviceMatrix<Real>& matrix) { factor_on_whole_grid(matrix, lu.stream()); });
  compare("whole grid");
  if (const auto vendor = make_vendor_lu(lu.stream())) {
    lu.seconds([&](const DeviceMatrix<Real>& matrix) { vendor->factor(matrix); });
    const double residual = lu.residual(1);
    report.check(what("cuSOLVER") + ": the residual is small", vendor->succeeded() && residual <= max_residual<Real>(n),
                 fmt::format("{:g}", residual));
  }
}

}  // namespace

void check_lu(const Program& program, Report& report) {
  if (!make_vendor_lu(nullptr)) report.skip("cuSOLVER", "the build found none");
  for (const int n : k_sizes)
    for (const bool pivoting : {false, true}) {
      check_case<float>(n, pivoting, program.seed + n, report);
      check_case<double>(n, pivoting, program.seed + n, report);
    }
}

}  // namespace kann::bench
