// Text of others, such as file names and names of attributes, for messages on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace kann::base {

/// The text with \xNN for each byte of what is no character (invalid UTF-8) or is not seen where it stands: control
/// characters (C0, C1, DEL), which a terminal obeys, line and paragraph separators, marks that change the direction of
/// what follows, and the byte order mark.
std::string printable(std::string_view text);

/// The length of `text`, or of as many whole characters of it as `most` bytes hold.
std::size_t whole_characters(std::string_view text, std::size_t most);

}  // namespace kann::base
