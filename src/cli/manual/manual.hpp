// The texts that the program prints about itself, made from the option table: the man page, the completion scripts and
// the reference of options. help.hpp has the texts of --help and --version.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/option_table.hpp"
#include "cli/options/options.hpp"

namespace kann::cli {

/// The text that an action other than a search prints.
std::string text_of(const Options& options);

/// kann.1, in the macros of man(7).
std::string man_page();

/// Completion scripts, one per shell. They complete every option, and its words, or files where it takes a file.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// The page of all options, in Markdown: a table for each group.
std::string options_page();

/// The help of an option up to its first semicolon, colon or bracket.
std::string_view short_help(const OptionSpec& option);

/// "auto cpu cuda": the words of an option, with blanks between them; empty if it takes others.
std::string words_text(const OptionSpec& option);

inline bool takes_file(const OptionSpec& option) { return option.metavar == "FILE"; }

}  // namespace kann::cli
