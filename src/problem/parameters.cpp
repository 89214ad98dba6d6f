#include "problem/parameters.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "kann/error.hpp"

namespace kann::problem {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::usage, what); }

void check_exact(const SearchOptions& options) {
  const char* const given = options.shifts                        ? "--shifts"
                            : options.window                      ? "--window"
                            : options.bits                        ? "--bits"
                            : options.pipeline == Pipeline::paper ? "--pipeline paper"
                                                                  : nullptr;
  if (given) refuse(std::string(given) + " is for the shifted sort; it does not go with --exact");
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

/// The cheapest windows that keep recall ≥ .97 on every cloud tried, with three shifts. 3-D: 2k + 4 on scans, rasters,
/// uniform points and clusters (k = 8: .971 and more), and more for long lists (2²³ clusters, k = 16: .969 at 36, .971
/// at 38). 2-D: k + 24, since a floor plan queried from half a metre beside its walls, k = 1, has .775 at k + 4 and
/// .998 at k + 24, which is cheap enough for all queries.
std::int64_t default_window(std::int64_t k, int dimensions) {
  if (dimensions == 2) return saturated_sum(k, 24);
  return std::max<std::int64_t>(12, saturated_sum(saturated_sum(k, k), 4 + std::max<std::int64_t>(0, k - 8) / 4));
}

/// Candidates on each side of a far query, beyond its window. A surface queried from beside it, by the next frame of a
/// moving scanner, has recall .886 at 2k + 4; with these, two frames of a spinning LiDAR, in the harder direction, k =
/// 1, 8, 16, 32: .972, .979, .984, .989.
constexpr std::int64_t k_far_extra = 256;

}  // namespace

void choose_parameters(const SearchOptions& options, Problem& p) {
  p.pipeline = options.pipeline;
  p.method = options.method;
  p.k = options.k;
  if (p.method == Method::exact) return;

  const bool paper = options.pipeline == Pipeline::paper;
  const int code_bits = p.dimensions == 3 ? geometry::k_code_bits<3> : geometry::k_code_bits<2>;
  p.shifts = options.shifts.value_or(paper && p.dimensions == 3 ? 5 : 3);
  p.window = paper ? p.k : options.window.value_or(default_window(p.k, p.dimensions));
  p.far_window = paper || options.window ? p.window : saturated_sum(p.window, k_far_extra);
  p.bits = options.bits.value_or(code_bits);
  if (p.bits < 1 || p.bits > code_bits)
    refuse("--bits expects a whole number from 1 to " + std::to_string(code_bits) + " for " +
           std::to_string(p.dimensions) + "-D points, got '" + std::to_string(p.bits) + "'");
}

}  // namespace kann::problem

namespace kann {

// The only place of the rules of `exact` and `paper`.
void check_options(const SearchOptions& options) {
  if (options.k < 1)
    problem::refuse("--k expects a whole number of at least 1, got '" + std::to_string(options.k) + "'");
  if (options.method == Method::exact) problem::check_exact(options);
  if (options.pipeline == Pipeline::paper) problem::check_paper(options);
  // An even number has shifts by 1/2, 1/4, …, which move no boundary of large cells: what such shifts miss, all miss
  if (options.shifts && (*options.shifts < 1 || *options.shifts % 2 == 0))
    problem::refuse("--shifts expects an odd whole number of at least 1, got '" + std::to_string(*options.shifts) +
                    "'");
  if (options.window && *options.window < 1)
    problem::refuse("--window expects a whole number of at least 1, got '" + std::to_string(*options.window) + "'");
}

}  // namespace kann
