// Every option of the program, once: its names, its help and its effect on Options. The parser, the suggestions, the
// environment variables, the help and what --generate prints are all derived from this table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/config/config_file.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values.hpp"

namespace kann::cli {

/// The group of options that say how a run or its failure is reported.
inline constexpr std::string_view k_reporting = "Reporting";

/// The group of options about the file that sets other options. They cannot be set in it.
inline constexpr std::string_view k_configuration = "Configuration";

/// The group of options of `kann check` alone.
inline constexpr std::string_view k_of_check = "Of kann check";

/// The group of options that print a text instead of searching.
inline constexpr std::string_view k_about = "About";

/// Who needs an option: most people, whom --help tells of it, or few, who find it in --help all and the reference.
enum class Audience { most, few };

struct OptionSpec {
  std::string_view group;  ///< heading in the help text
  Audience audience;
  char letter;               ///< short name, or '\0'
  std::string_view name;     ///< long name without dashes
  std::string_view metavar;  ///< the value in the help; empty for a flag; FILE is a path, a|b one of these words, one
                             ///< capital letter or STEP a number, in brackets if it may be left out
  std::string_view help;     ///< a sentence without a full stop, the default in brackets at its end; up to its
                             ///< first semicolon, colon or bracket it is what shells show
  void (*apply)(Options&, const Given&);
  std::string_view words = {};           ///< the values, a|b or "a, b or c", where the metavar has no room for them
  bool has_variable = false;             ///< whether variable_of() is read where the option is not given
  std::string_view implicit_value = {};  ///< the value when none is given; empty: a value is required
  bool is_repeatable = false;            ///< whether all values that are given count, not the last one alone

  bool is_flag() const { return metavar.empty(); }
  /// Whether several values may follow its name.
  bool takes_several() const { return is_repeatable && metavar == "FILE"; }
};

/// All options, in the order of the help text; the options of a group are adjacent.
std::span<const OptionSpec> option_table();

/// The words that an option takes, for completion in shells: those in `words`, else in a metavar a|b, without patterns
/// such as cuda:N. Empty for other options.
std::vector<std::string_view> words_of(const OptionSpec& option);

/// A word before files that is no cloud: it says what is done with them.
struct Subcommand {
  std::string_view name;
  Action action, help;                     ///< what it does, and with --help
  std::string_view summary, file;          ///< "says what is in files", and the name of one: "pts.ply"
  std::string_view description, examples;  ///< for the manual
  std::string_view options;                ///< those that it takes, as messages list them: "--json, --quiet"
};

std::span<const Subcommand> subcommands();
bool takes(const Subcommand& subcommand, const OptionSpec& option);

/// The key that sets the option in a configuration.
ConfigKey config_key(const OptionSpec& option);

/// "--min-recall"
std::string flag_of(const OptionSpec& option);

/// "KANN_MIN_RECALL" for --min-recall, whether or not such a variable is read.
std::string variable_of(const OptionSpec& option);

}  // namespace kann::cli
