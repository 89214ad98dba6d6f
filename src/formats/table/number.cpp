#include "formats/table/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <system_error>

namespace kann::formats {
namespace {

/// The parsers accept no plus sign.
std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

template <class T>
NumberFault parse_integer(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error == std::errc::invalid_argument) return NumberFault::not_a_number;
  return error == std::errc() ? NumberFault::none : NumberFault::out_of_range;
}

}  // namespace

template <class T>
NumberFault parse_number(std::string_view text, T& value) {
  text = without_plus(text);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = fast_float::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error == std::errc::invalid_argument) return NumberFault::not_a_number;
  // For 1e999 some releases of fast_float report an error, all return infinity. Infinity from digits is out of range;
  // the words for it begin with a letter, after the sign.
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  if (std::isinf(value) && !is_letter(text[text[0] == '-'])) return NumberFault::out_of_range;
  return NumberFault::none;
}

template NumberFault parse_number(std::string_view, float&);
template NumberFault parse_number(std::string_view, double&);

bool is_rounded_whole(std::string_view text, double value) {
  if (!(std::abs(value) >= 0x1p53)) return false;  // 2⁵³ + 1 is read as 2⁵³
  text.remove_prefix(std::min(text.find_first_not_of("+-0"), text.size()));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::all_of(text, is_digit) && text != fmt::format("{:.0f}", std::abs(value));
}

NumberFault parse_whole(std::string_view text, std::int64_t& value) { return parse_integer(without_plus(text), value); }

NumberFault parse_count(std::string_view text, std::uint64_t& value) { return parse_integer(text, value); }

std::string_view describe(NumberFault fault) {
  return fault == NumberFault::out_of_range ? "is out of range" : "is not a number";
}

}  // namespace kann::formats
