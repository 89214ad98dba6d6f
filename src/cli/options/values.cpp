#include "cli/options/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "kann/compare.hpp"
#include "kann/error.hpp"

namespace kann::cli {

void refuse(const Given& given, std::string_view what) {
  throw Error(ErrorKind::usage, given.name + " expects " + std::string(what) + ", got '" + given.text + "'");
}

std::int64_t whole_number(const Given& given, std::int64_t minimum, std::int64_t maximum) {
  const char* const end = given.text.data() + given.text.size();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(given.text.data(), end, value);
  const bool too_large = error == std::errc::result_out_of_range && stop == end && given.text.front() != '-';
  const bool read = error == std::errc() && stop == end;
  if (read && value >= minimum && value <= maximum) return value;

  const std::string from = std::to_string(minimum);
  if (maximum == k_no_limit && !too_large) refuse(given, "a whole number of at least " + from);
  refuse(given, "a whole number from " + from + " to " + std::to_string(maximum));
}

int odd_number(const Given& given) {
  constexpr std::string_view what = "an odd whole number of at least 1";
  const char* const end = given.text.data() + given.text.size();
  int value = 0;
  const auto [stop, error] = std::from_chars(given.text.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value % 2 == 0) refuse(given, what);
  return value;
}

namespace {

/// A decimal number from 0 to `maximum`; `what` says so. −0, which is not below 0, is refused, and so is NaN.
double number_up_to(const Given& given, double maximum, std::string_view what) {
  const char* const end = given.text.data() + given.text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(given.text.data(), end, value);
  if (error != std::errc() || stop != end || !(value >= 0 && value <= maximum) || std::signbit(value))
    refuse(given, what);
  return value;
}

}  // namespace

double unit_fraction(const Given& given) { return number_up_to(given, 1, "a number from 0 to 1"); }

double length(const Given& given) {
  return number_up_to(given, std::numeric_limits<double>::max(), "a finite number of at least 0");
}

std::vector<double> sides(const Given& given) {
  constexpr std::string_view what = "LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0";
  std::vector<double> sides;
  std::string_view rest = given.text;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = rest.find(',');
    is_last = comma == std::string_view::npos;
    const std::string_view text = rest.substr(0, comma);
    double side = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), side);
    if (error != std::errc() || stop != text.data() + text.size() || !(side >= 0 && side <= 1e150)) refuse(given, what);
    sides.push_back(side);
    if (!is_last) rest.remove_prefix(comma + 1);
  }
  const bool is_box = std::ranges::any_of(sides, [](double side) { return side > 0; });
  if (!is_box || sides.size() < 2 || sides.size() > 3) refuse(given, what);
  return sides;
}

std::string report_path(const Given& given) {
  if (given.text == "-" || given.text == "/dev/stdout")
    throw Error(ErrorKind::usage,
                given.name + " expects a file, got '" + given.text + "'; --json prints the report on stdout");
  if (given.text.empty()) refuse(given, "a file");
  return given.text;
}

std::string path(const Given& given) {
  if (given.text.empty()) refuse(given, "a file");
  return given.text;
}

std::string svg_path(const Given& given) {
  if (!given.text.ends_with(".svg")) refuse(given, "a file that ends with .svg");
  return given.text;
}

std::string config_path(const Given& given) {
  if (given.text.empty() || given.text == "-") refuse(given, "a file");
  return given.text;
}

std::string reference_path(const Given& given) {
  if (!can_read_neighbors(given.text)) refuse(given, "a .npz, .npy, .bin, .ibin or .ivecs file");
  return given.text;
}

std::vector<std::string> columns(const Given& given) {
  std::vector<std::string> columns;
  for (std::string_view rest = given.text;;) {
    const std::size_t comma = rest.find(',');
    std::string_view column = rest.substr(0, comma);
    while (column.starts_with(' ')) column.remove_prefix(1);
    while (column.ends_with(' ')) column.remove_suffix(1);
    columns.emplace_back(column);
    if (comma == std::string_view::npos) return columns;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace kann::cli
