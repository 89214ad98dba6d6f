// The errors for unknown arguments and variables.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/option_table.hpp"

namespace kann::cli {

/// What to say about a word that is the name of an option in other programs: "here it is --radius". Empty for other
/// words.
std::string known_elsewhere(std::string_view word);

/// Suggests what may be meant: the option that other programs call so, or the option with the nearest name. @throws
/// Error usage, always.
[[noreturn]] void fail_unexpected(std::string_view argument);

/// The subcommand that a word is, or to which it is so near that it may be meant, and no file has this name; else null.
const Subcommand* seems_subcommand(const std::string& word);

/// Refuses variables KANN_… that nothing reads, even empty ones: a misspelt one, or one of a check (KANN_MIN_RECALL),
/// would have no effect, and nobody would notice. @throws Error usage, which suggests the nearest that is read.
void refuse_unknown_variables();

}  // namespace kann::cli
