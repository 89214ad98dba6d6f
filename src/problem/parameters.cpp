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

/// Refuses options of the approximate methods beside an exact one.
void check_exact(const SearchOptions& options) {
  const char* const given = options.shifts ? "--shifts" : options.window ? "--window" : nullptr;
  if (given) refuse(std::string(given) + " is for approximate answers; it needs --method shifted-sort or paper");
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
  if (options.device.kind == DeviceKind::cpu) refuse("--method paper runs on CUDA devices only, got --device cpu");
  const std::string k = std::to_string(options.k);
  if (options.k != 2 && options.k != 4 && options.k != 8 && options.k != 16)
    refuse("--method paper takes --k 2, 4, 8 or 16, got " + k);
  if (options.window && *options.window != options.k)
    refuse("--method paper takes --window " + k + " (its k), got " + std::to_string(*options.window));
}

/// About the smallest windows that keep recall ≥ .97 on every cloud tried, with three shifts (docs/experiments.md).
std::int64_t default_window(std::int64_t k, int dimensions) {
  if (dimensions == 2) return 3 + 3 * k / 4 + std::max<std::int64_t>(0, k - 16) / 8;
  return 4 + 2 * k + std::max<std::int64_t>(0, k - 8) / 4;
}

}  // namespace

void check_is_exact(Method method, std::string_view option) {
  if (method != Method::exact)
    refuse("--method " + std::string(name_of(method)) + " does not go with " + std::string(option) +
           ", whose answer is exact");
}

void choose_parameters(const SearchOptions& options, Problem& p) {
  p.method = options.method;
  p.k = options.k;
  if (p.method == Method::exact) return;
  const bool paper = p.method == Method::paper;
  p.shifts = options.shifts.value_or(paper && p.dimensions == 3 ? 5 : 3);
  p.window = paper ? p.k : options.window.value_or(default_window(p.k, p.dimensions));
}

}  // namespace kann::problem

namespace kann {

std::string_view name_of(Method method) {
  return method == Method::exact ? "exact" : method == Method::paper ? "paper" : "shifted-sort";
}

// The only place that has the rules about methods.
void check_options(const SearchOptions& options) {
  if (options.k < 1)
    problem::refuse("--k expects a whole number of at least 1, got '" + std::to_string(options.k) + "'");
  if (!options.periodic.empty()) problem::check_periodic(options.periodic);
  if (!options.periodic.empty() && options.sky) problem::refuse("--sky and --periodic exclude each other");
  if (options.method == Method::exact) problem::check_exact(options);
  if (options.sky || !options.periodic.empty())
    problem::check_is_exact(options.method, options.sky ? "--sky" : "--periodic");
  if (options.method == Method::paper) problem::check_paper(options);
  if (options.method == Method::shifted_sort && options.k > k_max_shifted_k)
    problem::refuse("--method shifted-sort takes --k up to " + std::to_string(k_max_shifted_k) + ", got " +
                    std::to_string(options.k) + "; the exact search, the default, takes any");
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
