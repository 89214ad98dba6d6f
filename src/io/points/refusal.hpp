// How the readers say what is wrong with a file, and where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kann::io {

/// Sizes that a hostile header can claim: a product of two 64-bit numbers does not wrap in it.
using WideSize = unsigned __int128;

/// Throws Error bad_input "FILE: WHAT".
[[noreturn]] void refuse(const std::string& file, const std::string& what);

/// Throws Error bad_input "FILE:LINE: WHAT"; lines count from 1.
[[noreturn]] void refuse_line(const std::string& file, std::int64_t line, const std::string& what);

/// Throws Error bad_input "FILE@byte B: WHAT"; bytes count from 0.
[[noreturn]] void refuse_byte(const std::string& file, std::size_t byte, const std::string& what);

/// `text` fit for a one-line message: bytes that are not printable ASCII as \xHH, and no more than the first 40 bytes.
std::string printable(std::string_view text);

/// The same between single quotes.
std::string quoted(std::string_view text);

}  // namespace kann::io
