#include "problem/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "kann/error.hpp"

namespace kann::problem {
namespace {

/// The longest side of a periodic box: squares of sums of such sides do not overflow.
constexpr double k_max_side = 1e150;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::usage, what); }

/// The shortest text that reads as the same number.
std::string text(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), x).ptr};
}

void check_exact(const SearchOptions& options) {
  const char* const given = options.shifts                        ? "--shifts"
                            : options.window                      ? "--window"
                            : options.bits                        ? "--bits"
                            : options.pipeline == Pipeline::paper ? "--pipeline paper"
                                                                  : nullptr;
  if (given)
    refuse(std::string(given) +
           " is for the shifted sort; it does not go with an exact answer (--exact, --periodic, --sky, --outliers)");
}

/// Refuses sides that no periodic box has.
void check_periodic(const std::vector<double>& sides) {
  const bool are_sides = std::ranges::all_of(sides, [](double side) { return side >= 0 && side <= k_max_side; });
  const bool is_one_positive = std::ranges::any_of(sides, [](double side) { return side > 0; });
  if ((sides.size() == 2 || sides.size() == 3) && are_sides && is_one_positive) return;
  std::string given;
  for (const double side : sides) given += (given.empty() ? "" : ",") + text(side);
  refuse("--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, got '" + given +
         "'");
}

void check_paper(const SearchOptions& options) {
  if (options.device.kind == DeviceKind::cpu) refuse("--pipeline paper runs on CUDA devices only, got --device cpu");
  const std::string k = std::to_string(options.k);
  if (options.k != 2 && options.k != 4 && options.k != 8 && options.k != 16)
    refuse("--pipeline paper takes --k 2, 4, 8 or 16, got " + k);
  if (options.window && *options.window != options.k)
    refuse("--pipeline paper takes --window " + k + " (its k), got " + std::to_string(*options.window));
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  return std::min(a, std::numeric_limits<std::int64_t>::max() - b) + b;
}

/// The smallest windows that keep recall ≥ .97 on every cloud tried, with three shifts. In 3-D, 2k + 4 suffices on
/// scans, rasters, uniform points and clusters (k = 8: .971 and more), but long lists need more (2²³ points in
/// clusters, k = 16: .969 with window 36, .971 with 38).
std::int64_t default_window(std::int64_t k, int dimensions) {
  if (dimensions == 2) return std::max<std::int64_t>(12, saturated_sum(k, 8));
  return std::max<std::int64_t>(12, saturated_sum(saturated_sum(k, k), 4 + std::max<std::int64_t>(0, k - 8) / 4));
}

/// Whether options are given that only the shifted sort has.
bool asks_for_shifted_sort(const SearchOptions& options) {
  return options.shifts || options.window || options.bits || options.pipeline == Pipeline::paper;
}

/// Whether there is no other answer.
bool is_always_exact(const SearchOptions& options) { return !options.periodic.empty() || options.sky; }

/// The shifted sort is the default for those k for which it took less time on a GPU when this was chosen. The exact
/// search now takes no longer for any k (bench/targets.md), but scripts count on the default.
Method default_method(const SearchOptions& options, int dimensions) {
  if (asks_for_shifted_sort(options)) return Method::shifted_sort;
  const int last_short = dimensions == 3 ? 4 : 8, first_long = 17;
  return options.k <= last_short || options.k >= first_long ? Method::exact : Method::shifted_sort;
}

}  // namespace

void choose_parameters(const SearchOptions& options, Problem& p) {
  p.pipeline = options.pipeline;
  p.method = options.method.value_or(is_always_exact(options) ? Method::exact : default_method(options, p.dimensions));
  p.k = options.k;
  if (p.method == Method::exact) return;

  const bool paper = options.pipeline == Pipeline::paper;
  const int code_bits = p.dimensions == 3 ? geometry::k_code_bits<3> : geometry::k_code_bits<2>;
  p.shifts = options.shifts.value_or(paper && p.dimensions == 3 ? 5 : 3);
  p.window = paper ? p.k : options.window.value_or(default_window(p.k, p.dimensions));
  p.bits = options.bits.value_or(code_bits);
  if (p.bits < 1 || p.bits > code_bits)
    refuse("--bits expects a whole number from 1 to " + std::to_string(code_bits) + " for " +
           std::to_string(p.dimensions) + "-D points, got '" + std::to_string(p.bits) + "'");
  p.searches_doubtful = !paper && !options.window && p.bits == code_bits;
}

geometry::DoubtRules doubt_rules(const Problem& p, double rounding) {
  // With few neighbours, one that is missed costs much recall: the rule for their distances is stricter
  const bool are_few = p.k < geometry::k_doubt_neighbors;
  const double cell = 1 / static_cast<double>(p.grid.inv);
  // Distances below 2⁻⁵⁰ have squares that underflow; coordinates are rounded by up to `rounding`
  const double coarse = 40 * rounding / p.unit;
  // In a self-query, a point itself is in all of its windows
  const std::int64_t later = p.shifts - 1, own = p.drop_self ? later : 0;
  geometry::DoubtRules rules;
  rules.coarse = static_cast<float>(std::max(0x1p-100, coarse * coarse));
  if (rounding > 0) {
    rules.blurred = 100 * rules.coarse;
    rules.rounding = 0x1p-24f;
  }
  rules.reach = static_cast<float>(cell * cell);
  rules.diagonal = static_cast<float>(2 * p.dimensions * cell * cell);
  rules.ratio = are_few ? 1.5f : 1.35f;
  // .45 of the neighbours (docs/experiments.md, "wider doubt")
  rules.seen = later == 0 ? -1 : own + (p.k / 20 * 9 + p.k % 20 * 9 / 20) * later / 2;
  return rules;
}

}  // namespace kann::problem

namespace kann {

// The only place that has the rules about `exact` and `paper`.
void check_options(const SearchOptions& options) {
  if (options.k < 1)
    problem::refuse("--k expects a whole number of at least 1, got '" + std::to_string(options.k) + "'");
  if (!options.periodic.empty()) problem::check_periodic(options.periodic);
  if (!options.periodic.empty() && options.sky) problem::refuse("--sky and --periodic exclude each other");
  if (problem::is_always_exact(options) && options.method == Method::shifted_sort)
    problem::refuse(std::string("--method shifted-sort does not go with ") + (options.sky ? "--sky" : "--periodic") +
                    ", whose answer is exact");
  if (problem::is_always_exact(options) || options.method == Method::exact) problem::check_exact(options);
  if (options.pipeline == Pipeline::paper) problem::check_paper(options);
  const bool is_shifted =
      options.method ? options.method == Method::shifted_sort : problem::asks_for_shifted_sort(options);
  if (is_shifted && options.k > k_max_shifted_k)
    problem::refuse("the shifted sort (--method shifted-sort, --shifts, --window, --bits) takes --k up to " +
                    std::to_string(k_max_shifted_k) + ", got " + std::to_string(options.k) +
                    "; the exact search, the default there, takes any");
  // An even number has shifts by 1/2, 1/4, …, which do not move the boundaries of large cells: neighbours that one of
  // these shifts misses, all miss
  if (options.shifts && (*options.shifts < 1 || *options.shifts > k_max_shifts || *options.shifts % 2 == 0))
    problem::refuse("--shifts expects an odd whole number from 1 to " + std::to_string(k_max_shifts) + ", got '" +
                    std::to_string(*options.shifts) + "'");
  if (options.radius && !(std::isfinite(*options.radius) && *options.radius >= 0))
    problem::refuse("--radius expects a finite number of at least 0, got '" + problem::text(*options.radius) + "'");
  if (options.window && *options.window < 1)
    problem::refuse("--window expects a whole number of at least 1, got '" + std::to_string(*options.window) + "'");
}

}  // namespace kann
