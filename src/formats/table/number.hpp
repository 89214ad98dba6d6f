// Parses numbers in text. Nothing else includes the library that does it.
#pragma once

#include <cstdint>
#include <string_view>

namespace kann::formats {

enum class NumberFault { none, not_a_number, out_of_range };

/// Parses all of `text` as a decimal number, correctly rounded to T (float or double). A sign, an exponent and the
/// words nan, inf and infinity (any case) are allowed, blanks are not. A number that rounds to infinity is out of
/// range; one that rounds to zero is zero.
template <class T>
NumberFault parse_number(std::string_view text, T& value);

/// Whether `text`, which parse_number() has read as `value`, is a whole number that float64 does not hold.
bool is_rounded_whole(std::string_view text, double value);

/// Parses all of `text` as a whole number: decimal digits with an optional sign.
NumberFault parse_whole(std::string_view text, std::int64_t& value);

/// Parses all of `text` as decimal digits without a sign.
NumberFault parse_count(std::string_view text, std::uint64_t& value);

/// "is not a number" or "is out of range", for messages.
std::string_view describe(NumberFault fault);

}  // namespace kann::formats
