// Every option of the program, once: its names, its line of help and what it does to Options. The parser, the help
// text, the suggestions and the environment variables all come from this table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "cli/values.hpp"

namespace kann::cli {

/// The group of options that say how a run, or its failure, is reported.
inline constexpr std::string_view k_reporting = "Reporting";

/// The group of options that ask for a text and no run.
inline constexpr std::string_view k_about = "About";

struct OptionSpec {
  std::string_view group;    ///< heading in the help text
  char letter;               ///< short name, or '\0'
  std::string_view name;     ///< long name without dashes
  std::string_view metavar;  ///< what the help calls the value; empty for a flag
  std::string_view help;     ///< a sentence without a full stop; the default in brackets
  void (*apply)(Options&, const Given&);
  std::string_view bare = {};  ///< the value that stands for none; empty: a value is required

  bool is_flag() const { return metavar.empty(); }
};

/// In the order of the help text; options of one group stand together.
std::span<const OptionSpec> option_table();

/// "--min-recall"
std::string flag_of(const OptionSpec& option);

/// "KANN_MIN_RECALL"; empty for --help and --version, which are no settings.
std::string variable_of(const OptionSpec& option);

}  // namespace kann::cli
