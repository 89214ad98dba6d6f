// The error for an unknown argument.
#pragma once

#include <string>
#include <string_view>

namespace kann::cli {

/// What to say about a word that is the name of such an option in other programs, or was one here: "here it is
/// --radius". Empty for other words.
std::string known_elsewhere(std::string_view word);

/// Suggests what may be meant: the option that other programs call so, or the option with the nearest name. @throws
/// Error usage, always.
[[noreturn]] void fail_unexpected(std::string_view argument);

}  // namespace kann::cli
