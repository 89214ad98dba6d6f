#include "problem/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string>

#include "kann/error.hpp"

#include "geometry/periodic_box.hpp"

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

/// Refuses numbers that make no periodic box.
void check_periodic(const std::vector<double>& numbers) {
  const std::size_t n = numbers.size();
  const auto are_all = [&](std::size_t count, auto is) {
    return std::all_of(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count), is);
  };
  const bool have_sides = n == 2 || n == 3 || n == 6;
  const bool are_in_range =
      are_all(n, [](double x) { return std::abs(x) <= k_max_side; }) &&
      (!have_sides || are_all(std::min<std::size_t>(n, 3), [](double side) { return side >= 0; }));
  const bool is_box = (have_sides || n == 9) && are_in_range && !are_all(n, [](double x) { return x == 0; });
  const auto given = [&] {
    std::string all;
    for (const double number : numbers) all += (all.empty() ? "" : ",") + text(number);
    return all;
  };
  if (!is_box)
    refuse(
        "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, with XY,XZ,YZ "
        "behind them if the box is slanted, or three vectors, got '" +
        given() + "'");
  // Tilts like 90,90,120 that are long beside the sides may be meant as angles
  const auto may_be_angle = [](double x) { return x >= 20 && x <= 160; };
  if (n == 6 && std::all_of(numbers.begin() + 3, numbers.end(), may_be_angle) &&
      (2 * numbers[3] > numbers[0] || 2 * numbers[4] > numbers[0] || 2 * numbers[5] > numbers[1]))
    refuse("--periodic " + given() +
           ": are the last three angles? They are the tilts XY,XZ,YZ, which are lengths; for such "
           "tilts, give the nine numbers of three vectors");
  const geometry::PeriodicBox box(numbers);
  constexpr double flattest = 1e-6, shortest = 1e-100;  // squares and differences of shorter ones are all rounding
  for (std::size_t i = 0; i < 3 && box.is_slanted(); ++i) {
    const double length = std::sqrt(geometry::sq_length(box.vector(i)));
    if (length > 0 && !(box.height(i) > flattest * length && length > shortest))
      refuse("--periodic " + given() + ": a box without volume, or nearly; vector " + std::to_string(i + 1) +
             " is along those before it, or too short");
  }
}

/// Refuses a radius within which a point has more images than a search looks at.
void check_images(const geometry::PeriodicBox& box, double radius) {
  std::int64_t images = 0;
  geometry::NearImages(box, {}).for_each({}, radius * radius, [&](const geometry::Shift&, const geometry::Position&) {
    return ++images <= geometry::k_most_images;
  });
  if (images > geometry::k_most_images)
    refuse("--radius " + text(radius) +
           ": a point has more than 10000 images of its own within it; take a smaller one");
}

/// Refuses what does not go with a periodic box, or without one.
void check_box(const SearchOptions& options) {
  if (options.periodic.empty() && options.images == Images::all)
    refuse("--images all needs --periodic, which says where they are");
  if (options.periodic.empty()) return;
  if (options.sky) refuse("--sky and --periodic exclude each other");
  check_periodic(options.periodic);
  constexpr double shortest = 1e-30;  // float32 holds distances of shorter ones with few digits, or as 0
  if (options.images == Images::all && geometry::PeriodicBox(options.periodic).shortest() < shortest)
    refuse("--images all: --periodic must repeat after 1e-30 or more; scale the coordinates");
  if (!options.radius) return;
  if (options.images == Images::all)
    check_images(geometry::PeriodicBox(options.periodic), *options.radius);
  else
    check_repeats_after(options.periodic, *options.radius, "--radius",
                        "; take --images all, with which every image is a neighbour");
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

void check_repeats_after(const std::vector<double>& periodic, double radius, std::string_view option,
                         std::string_view hint) {
  const double shortest = geometry::PeriodicBox(periodic).shortest();
  constexpr double twice = 2.001;  // two images could both be within it; .1 % is by far more than rounding
  if (shortest > twice * radius) return;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", shortest);
  refuse(std::string(option) + " " + text(radius) + ": --periodic must repeat after more than twice that, got " +
         digits + std::string(hint));
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
  problem::check_box(options);
  if (options.window && *options.window < 1)
    problem::refuse("--window expects a whole number of at least 1, got '" + std::to_string(*options.window) + "'");
}

}  // namespace kann
