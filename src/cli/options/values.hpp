// Reads numbers, words, paths and lists from option values. The whole text must match, and the message names the option
// and the text.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kann/clusters.hpp"
#include "kann/outliers.hpp"

namespace kann::cli {

/// An option and its value as text.
struct Given {
  std::string name;  ///< its name in messages: "--device", or "KANN_DEVICE" if a variable gave the value
  std::string text;
};

/// Throws "NAME expects WHAT, got 'TEXT'". @throws Error usage, always.
[[noreturn]] void refuse(const Given& given, std::string_view what);

inline constexpr std::int64_t k_no_limit = std::numeric_limits<std::int64_t>::max();

/// Decimal digits with an optional minus sign: "8" but not "+8", " 8", "8.0", "1e3" or "0x8".
/// @throws Error usage for other texts and outside [minimum, maximum].
std::int64_t whole_number(const Given& given, std::int64_t minimum, std::int64_t maximum = k_no_limit);

/// An odd whole number from 1 to `maximum`. @throws Error usage.
int odd_number(const Given& given, int maximum);

/// A decimal number from 0 to 1. @throws Error usage.
double unit_fraction(const Given& given);

/// A decimal number of at least 0 that float64 holds. @throws Error usage.
double length(const Given& given);

/// A length, or the name of an attribute, which does not begin as a number does; nothing, for the word none.
/// @throws Error usage.
std::variant<std::monostate, double, std::string> length_or_name(const Given& given);

/// A number of bytes: 4096, 1.5G or 1.5GiB (units of 2³⁰ bytes), 1.5GB (units of 10⁹ bytes).
double byte_count(const Given& given);

/// The numbers of a periodic box, between commas, which check_options() looks at; or none, for the word none.
/// @throws Error usage.
std::vector<double> sides(const Given& given);

/// K,SIGMA: a whole number of at least 1, and a decimal number of at least 0. @throws Error usage.
OutlierOptions outlier_options(const Given& given);

/// R[,MIN]: a positive decimal number, and a whole number of at least 1. @throws Error usage.
ClusterOptions cluster_options(const Given& given);

/// The finite decimal numbers between commas; none if any part is something else.
std::optional<std::vector<double>> numbers_of(std::string_view text);

/// A positive decimal number. @throws Error usage.
double positive(const Given& given);

/// A path, which is not empty. @throws Error usage.
std::string path(const Given& given);
std::string folder(const Given& given);

/// The path of the report: a file, since --json is for stdout. @throws Error usage, also for stdout, before
/// Options::report could lead a report there.
std::string report_path(const Given& given);

/// The path of a configuration: a file. @throws Error usage.
std::string config_path(const Given& given);

/// The path of a file whose name must end with `ending`, such as ".png". @throws Error usage.
std::string path_with_ending(const Given& given, std::string_view ending);

/// The path of a file that read_neighbors() can read. @throws Error usage.
std::string reference_path(const Given& given);

/// Splits "x, y,z" into three names. formats::check_columns() says which names are allowed.
std::vector<std::string> names(const Given& given);

/// The value of the word given. @throws Error usage, listing the words.
template <class T>
T one_of(const Given& given, std::initializer_list<std::pair<std::string_view, T>> choices) {
  std::string words;
  std::size_t remaining = choices.size();
  for (const auto& [word, value] : choices) {
    if (given.text == word) return value;
    --remaining;
    words.append(word).append(remaining > 1 ? ", " : remaining == 1 ? " or " : "");
  }
  refuse(given, words);
}

}  // namespace kann::cli
