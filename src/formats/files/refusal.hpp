// The error messages of the readers: what is wrong with a file, and where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/counted.hpp"

namespace kann::formats {

using base::counted;

/// For sizes that a header claims: a product of two 64-bit numbers does not overflow.
using WideSize = unsigned __int128;

/// Throws Error bad_input "FILE: WHAT".
[[noreturn]] void refuse(const std::string& file, const std::string& what);

/// Throws Error bad_input "FILE:LINE: WHAT"; lines count from 1.
[[noreturn]] void refuse_line(const std::string& file, std::int64_t line, const std::string& what);

/// Throws Error bad_input "FILE@byte B: WHAT"; bytes count from 0.
[[noreturn]] void refuse_byte(const std::string& file, std::size_t byte, const std::string& what);

/// "FILE: 12 bytes after the last point are not read"; `last` is "the last point".
std::string rest_warning(const std::string& file, std::size_t bytes, std::string_view last);

/// The first 40 bytes of `text`, as far as they are whole characters, for a message; made printable by
/// base::printable().
std::string excerpt(std::string_view text);

/// The excerpt() in single quotes.
std::string quote(std::string_view text);

}  // namespace kann::formats
