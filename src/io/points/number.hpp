// Numbers written as text. The one place that knows the library that parses them.
#pragma once

#include <cstdint>
#include <string_view>

namespace kann::io {

enum class NumberFault { none, not_a_number, out_of_range };

/// Reads all of `text` as a decimal number, correctly rounded to T (float or double); a sign, an exponent, and the
/// words nan, inf and infinity in any case are allowed, blanks are not. A number that rounds to infinity is out of
/// range, one that rounds to zero is zero.
template <class T>
NumberFault parse_number(std::string_view text, T& value);

/// Reads all of `text` as a whole number in decimal digits with a sign at most.
NumberFault parse_whole(std::string_view text, std::int64_t& value);

/// Reads all of `text` as decimal digits, without a sign.
NumberFault parse_count(std::string_view text, std::uint64_t& value);

/// "is not a number" or "is out of range", for messages.
std::string_view describe(NumberFault fault);

}  // namespace kann::io
