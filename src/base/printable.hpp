// Makes foreign text, such as file names and names of attributes, safe for messages on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace kann::base {

/// The text with \xNN for each byte that is not part of a character (invalid UTF-8) or belongs to an invisible one:
/// control characters (C0, C1, DEL), which a terminal obeys, line and paragraph separators, marks that change the
/// direction of what follows, and the byte order mark.
std::string printable(std::string_view text);

/// The length in bytes of the longest beginning of `text` that consists of whole characters and has at most `most`
/// bytes.
std::size_t whole_characters(std::string_view text, std::size_t most);

}  // namespace kann::base
