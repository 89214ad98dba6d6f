#include "cli/json/json_string.hpp"

#include <charconv>
#include <cstdint>

namespace kann::cli {
namespace {

void append_utf8(std::uint32_t code, std::string& text) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += {static_cast<char>(0xc0 | code >> 6), tail(0)};
  } else if (code < 0x10000) {
    text += {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
  }
}

/// Removes the four digits of "\uXXXX" from the front.
std::optional<std::uint32_t> take_unit(std::string_view& rest) {
  std::uint32_t unit = 0;
  if (!rest.starts_with("\\u") || rest.size() < 6) return std::nullopt;
  const auto [end, error] = std::from_chars(rest.data() + 2, rest.data() + 6, unit, 16);
  if (error != std::errc() || end != rest.data() + 6) return std::nullopt;
  rest.remove_prefix(6);
  return unit;
}

std::optional<std::uint32_t> take_code(std::string_view& rest) {
  const auto first = take_unit(rest);
  if (!first || *first < 0xd800 || *first >= 0xe000) return first;
  if (*first >= 0xdc00) return std::nullopt;
  const auto second = take_unit(rest);
  if (!second || *second < 0xdc00 || *second >= 0xe000) return std::nullopt;
  return 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00);
}

}  // namespace

std::optional<std::string> read_json_string(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') return std::nullopt;
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  std::string text;
  std::string_view rest = quoted.substr(1, quoted.size() - 2);
  while (!rest.empty()) {
    if (rest.front() != '\\') {
      text += rest.front();
      rest.remove_prefix(1);
    } else if (rest.size() > 1 && letters.find(rest[1]) != std::string_view::npos) {
      text += meanings[letters.find(rest[1])];
      rest.remove_prefix(2);
    } else if (const auto code = take_code(rest)) {
      append_utf8(*code, text);
    } else {
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace kann::cli
