// Numbers and words out of option values, strictly: the whole text counts, and the message names option and text.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace kann::cli {

/// An option as the user gave it.
struct Given {
  std::string name;  ///< its name in messages: "--device", or "KANN_DEVICE" where the variable gave it
  std::string text;
};

/// Throws "NAME expects WHAT, got 'TEXT'". @throws Error usage, always.
[[noreturn]] void refuse(const Given& given, std::string_view what);

inline constexpr std::int64_t k_no_limit = std::numeric_limits<std::int64_t>::max();

/// Decimal digits, with a minus sign at most: "8" but not "+8", " 8", "8.0", "1e3" or "0x8".
/// @throws Error usage outside [least, most].
std::int64_t whole_number(const Given& given, std::int64_t minimum, std::int64_t maximum = k_no_limit);

/// An odd whole number of at least 1 that fits an int. @throws Error usage.
int odd_number(const Given& given);

/// A decimal number from 0 to 1. @throws Error usage.
double unit_fraction(const Given& given);

/// The value that belongs to the word given. @throws Error usage, with the words there are.
template <class T>
T one_of(const Given& given, std::initializer_list<std::pair<std::string_view, T>> choices) {
  std::string words;
  std::size_t left = choices.size();
  for (const auto& [word, value] : choices) {
    if (given.text == word) return value;
    --left;
    words.append(word).append(left > 1 ? ", " : left == 1 ? " or " : "");
  }
  refuse(given, words);
}

}  // namespace kann::cli
