// The text of a page of --html: its beginning, and what it is made of.
#pragma once

#include <string>
#include <string_view>

namespace kann::cli {

/// The text with the characters escaped that HTML gives a meaning to, and without control characters but the ends of
/// lines.
std::string html_text(std::string_view text);

/// Bytes in base64 (RFC 4648), as in a data: URL.
std::string base64(std::string_view bytes);

/// The beginning of a page, with its style, up to its heading. It needs nothing but itself: no network, no script.
std::string page_begin(std::string_view version, std::string_view title);

}  // namespace kann::cli
