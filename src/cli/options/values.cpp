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

int odd_number(const Given& given, int maximum) {
  const char* const end = given.text.data() + given.text.size();
  int value = 0;
  const auto [stop, error] = std::from_chars(given.text.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value % 2 == 0 || value > maximum)
    refuse(given, "an odd whole number from 1 to " + std::to_string(maximum));
  return value;
}

namespace {

/// A decimal number from 0 to `maximum`; `what` says so. Also refuses NaN, and −0, which is not below 0.
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

std::variant<std::monostate, double, std::string> length_or_name(const Given& given) {
  if (given.text == "none") return {};
  double ignored = 0;
  const char* const begin = given.text.data();
  const bool is_number = std::from_chars(begin, begin + given.text.size(), ignored).ptr == begin + given.text.size();
  if (is_number || given.text.empty() ||
      std::string_view("+-.0123456789").find(given.text.front()) != std::string_view::npos)
    return length(given);
  return given.text;
}

double byte_count(const Given& given) {
  constexpr std::string_view what =
      "a number of bytes with a unit (K, M, G or T, KB, MB, GB or TB), such as 500M or 4GB, or at least 1000000 "
      "without";
  const std::string_view text = given.text;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value) || !(value > 0)) refuse(given, what);
  std::string unit(text.substr(static_cast<std::size_t>(stop - text.data())));
  if (unit.starts_with(' ')) unit.erase(0, 1);
  std::ranges::transform(unit, unit.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  constexpr double least = 1e6;  // a smaller number lacks its unit
  if (unit.empty() && value >= least) return value;
  if (unit.empty()) refuse(given, what);
  const std::size_t power = std::string_view("KMGT").find(unit[0]) + 1;
  const std::string rest = unit.substr(1);
  if (power == 0 || !(rest.empty() || rest == "IB" || rest == "B")) refuse(given, what);
  return value * std::pow(rest == "B" ? 1000.0 : 1024.0, static_cast<double>(power));
}

std::optional<std::vector<double>> numbers_of(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    const std::string_view part = text.substr(0, text.find(','));
    const char* const end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, numbers.emplace_back());
    if (error != std::errc() || stop != end || !std::isfinite(numbers.back())) return std::nullopt;
    if (part.size() == text.size()) return numbers;
    text.remove_prefix(part.size() + 1);
  }
}

std::vector<double> sides(const Given& given) {
  if (given.text == "none") return {};
  const auto sides = numbers_of(given.text);
  if (!sides) refuse(given, "LX,LY or LX,LY,LZ or LX,LY,LZ,XY,XZ,YZ or nine numbers, between commas");
  return *sides;
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

std::string folder(const Given& given) {
  if (given.text.empty()) refuse(given, "a folder");
  return given.text;
}

std::string path_with_ending(const Given& given, std::string_view ending) {
  if (!given.text.ends_with(ending)) refuse(given, "a file that ends with " + std::string(ending));
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

OutlierOptions outlier_options(const Given& given) {
  constexpr std::string_view what = "K,SIGMA: a whole number of at least 1, and a number of at least 0";
  const std::vector<std::string> parts = names(given);
  if (parts.size() != 2) refuse(given, what);
  OutlierOptions options;
  const auto read = [&](const std::string& text, auto& value) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size()) refuse(given, what);
  };
  read(parts[0], options.k);
  read(parts[1], options.sigma);
  if (options.k < 1 || !(options.sigma >= 0) || std::isinf(options.sigma)) refuse(given, what);
  return options;
}

ClusterOptions cluster_options(const Given& given) {
  const std::vector<std::string> parts = names(given);
  if (parts.size() > 2) refuse(given, "R[,MIN]: a positive number, and a whole number of at least 1");
  ClusterOptions options{.radius = positive({given.name, parts[0]})};
  if (parts.size() == 2) options.min_points = whole_number({given.name + " R,MIN", parts[1]}, 1);
  return options;
}

double positive(const Given& given) {
  const double value = number_up_to(given, std::numeric_limits<double>::max(), "a positive number");
  if (value == 0) refuse(given, "a positive number");
  return value;
}

std::vector<std::string> names(const Given& given) {
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
