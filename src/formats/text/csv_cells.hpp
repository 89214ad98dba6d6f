// Cells of tables as text (RFC 4180): names, numbers and texts.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "kann/attributes.hpp"

namespace kann::formats {

inline constexpr std::size_t k_longest_number = 26;

/// The name as the header has it: on one line, and none that readers take for a number.
std::string header_name(std::string name);

/// That name, in quotes where it needs them.
std::string header_cell(const std::string& name);

/// Whether a text has to be in quotes: it has a delimiter, a quote, a line break or blanks at its ends, or looks like a
/// comment.
bool needs_quotes(std::string_view text);

/// Writes the shortest decimals that read back as the same value. Returns their end.
template <class T>
char* put_number(char* out, T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(value)) value = std::abs(value);  // nan, not -nan
  return std::to_chars(out, out + k_longest_number, value).ptr;
}

/// The most bytes that a cell of the attribute can have.
std::size_t longest_cell(const Attribute& attribute);

/// Begins to fetch the value `row` of the attribute, or where that is already here, its text.
void fetch_value(const Attribute& attribute, std::int64_t row);
void fetch_text(const Attribute& attribute, std::int64_t row);

/// Writes the value `row` of the attribute. Returns its end.
/// @param nan what stands for NaN
char* put_cell(char* out, const Attribute& attribute, std::int64_t row, std::string_view nan);

}  // namespace kann::formats
