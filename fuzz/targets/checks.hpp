// What every target demands beyond "no crash": a violation aborts, so that libFuzzer keeps the input.
#pragma once

#include <string>
#include <string_view>

#include "kann/error.hpp"

namespace kann::fuzz {

/// Prints the property that does not hold, with what was seen, and aborts.
[[noreturn]] void report(std::string_view property, std::string_view seen);

/// One line of valid UTF-8, at most `max_bytes` long, without control characters.
void check_line(std::string_view what, std::string_view text, std::size_t max_bytes);

/// The error is one that bad input or a bad option may cause, with a message of one line.
void check_error(const Error& error, std::size_t max_bytes);

}  // namespace kann::fuzz
