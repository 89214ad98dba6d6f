// The files that packages install beside the program, made from the option table: the man page and what shells
// complete.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/option_table.hpp"

namespace kann::cli {

/// kann.1, in the macros of man(7).
std::string man_page();

/// A script for the shell each: every option, with its words or with files where it takes them.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// The help of an option up to its first semicolon, colon or bracket.
std::string_view short_help(const OptionSpec& option);

/// "auto cpu cuda": the words of an option, with blanks between them; empty if it takes others.
std::string words_text(const OptionSpec& option);

inline bool takes_file(const OptionSpec& option) { return option.metavar == "FILE"; }

}  // namespace kann::cli
