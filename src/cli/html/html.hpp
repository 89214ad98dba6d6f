// The text of a page of --html: its beginning, what it is made of, and whether a file is such a page.
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
/// @param version of the program @param output the whole result that the page tells of; empty: there is none
std::string page_begin(std::string_view version, std::string_view title, std::string_view output);

/// Whether a file is empty or begins as page_begin() does.
bool is_empty_or_page(const std::string& path);

/// Whether a file is the page of a run that has written `output`.
bool is_page_of(const std::string& path, const std::string& output);

}  // namespace kann::cli
