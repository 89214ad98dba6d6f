// Reads the command line. CLI11 splits it into options and texts; the option table gives their values and messages.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kann/error.hpp"

#include "base/suggest.hpp"
#include "cli/option_table.hpp"
#include "cli/output_path.hpp"
#include "cli/variables.hpp"

namespace kann::cli {
namespace {

/// What CLI11 reports for an option without a value, or for a flag with an empty value. No argument contains NUL.
const std::string k_no_value(1, '\0');

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::usage, message); }

[[noreturn]] void fail_unexpected(std::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-')
    fail("unexpected argument '" + std::string(argument) + "'; clouds are given as --data FILE and --query FILE");

  const std::string_view flag = argument.substr(0, argument.find('='));
  std::vector<std::string_view> names;
  for (const OptionSpec& option : option_table()) names.push_back(option.name);
  const std::string_view nearest =
      base::nearest_name(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())), names);
  fail("unknown option '" + std::string(flag) + "'; " +
       (nearest.empty() ? "see kann --help" : "did you mean '--" + std::string(nearest) + "'?"));
}

const OptionSpec* find_option(auto matches) {
  const auto table = option_table();
  const auto found = std::ranges::find_if(table, matches);
  return found == table.end() ? nullptr : &*found;
}
const OptionSpec* find_long(std::string_view name) {
  return find_option([&](const OptionSpec& o) { return o.name == name; });
}
const OptionSpec* find_letter(char letter) {
  return find_option([&](const OptionSpec& o) { return o.letter == letter; });
}

/// Whether `-word` is a long name with one dash, such as -query, which CLI11 would read as -q and four more letters.
/// False for a group of flags (-qv), a letter with its value (-k8) and a negative number.
bool is_misspelt_long(std::string_view word) {
  if (word.size() < 3 || word[0] != '-' || word[1] == '-' || (word[1] >= '0' && word[1] <= '9')) return false;
  if (find_long(word.substr(1))) return true;
  for (const char letter : word.substr(1)) {
    const OptionSpec* const option = find_letter(letter);
    if (!option || !option->is_flag()) return !option;
  }
  return false;
}

/// The arguments as CLI11 splits them: the options given and the text of each.
class ParsedArguments {
 public:
  ParsedArguments(int count, const char* const* arguments) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const OptionSpec& option : option_table()) parsed_.push_back(declare(option));
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) add_normalised(arguments[i], texts);
    std::ranges::reverse(texts);  // CLI11 takes them in reverse order
    app_.parse(std::move(texts));
    for (std::string& text : app_.remaining()) unexpected_.push_back(std::move(text));
  }

  bool has(const OptionSpec& option) const { return parsed(option).count() > 0; }
  const std::string& last_value(const OptionSpec& option) const { return parsed(option).results().back(); }
  const std::vector<std::string>& unexpected() const { return unexpected_; }

 private:
  CLI::Option* declare(const OptionSpec& option) {
    const std::string names = (option.letter ? std::string("-") + option.letter + "," : "") + flag_of(option);
    // CLI11 accepts a missing value, so that the message is ours and the next option is not taken as the value.
    CLI::Option* const declared =
        option.is_flag() ? app_.add_flag(names)
                         : app_.add_option(names, [](const CLI::results_t&) { return true; })->expected(0, 1);
    if (!option.is_flag()) declared->default_str(k_no_value);
    return declared->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }

  /// Rewrites what CLI11 would read in another sense: `--k=` (an empty value), `-k=8`, and long names with one dash.
  /// Rewrites `--exact` as `--method=exact`, so that the last of the two counts.
  void add_normalised(std::string_view argument, std::vector<std::string>& texts) {
    const auto equals = std::min(argument.find('='), argument.size());
    const std::string_view name = argument.substr(0, equals);
    const bool is_letter = name.size() == 2 && name[0] == '-';
    if (is_misspelt_long(name)) {
      unexpected_.emplace_back(argument);
      return;
    }
    if (argument == "--exact") {
      texts.emplace_back("--method=exact");
      return;
    }
    const OptionSpec* const option = is_letter                ? find_letter(name[1])
                                     : name.starts_with("--") ? find_long(name.substr(2))
                                                              : nullptr;
    if (!option || equals == argument.size()) {
      texts.emplace_back(argument);
    } else if (equals + 1 == argument.size()) {
      texts.push_back(flag_of(*option) + (option->is_flag() ? "=" + k_no_value : ""));
      if (!option->is_flag()) texts.emplace_back();
    } else {
      texts.push_back(flag_of(*option) + std::string(argument.substr(equals)));
    }
  }

  const CLI::Option& parsed(const OptionSpec& option) const {
    return *parsed_[static_cast<std::size_t>(&option - option_table().data())];
  }

  CLI::App app_;
  std::vector<CLI::Option*> parsed_;  // in the order of the table
  std::vector<std::string> unexpected_;
};

void apply_argument(const OptionSpec& option, const std::string& text, Options& options) {
  const std::string flag = flag_of(option);
  if (option.is_flag() && text != "true")
    fail(flag + " takes no value, got '" + (text == k_no_value ? "" : text) + "'");
  const bool missing = text == k_no_value;
  if (missing && option.implicit_value.empty())
    fail(flag + " expects a value (" + std::string(option.metavar) + "), got none");
  option.apply(options, {flag, missing ? std::string(option.implicit_value) : text});
}

void apply_variable(const OptionSpec& option, Options& options) {
  const std::string variable = variable_of(option);
  const char* const text = std::getenv(variable.c_str());
  if (text && *text) option.apply(options, {variable, text});  // an empty variable counts as unset
}

std::string needs_format(const std::string& flag) {
  return flag + " - needs " + flag + "-format (" + std::string(k_point_formats) + ")";
}

void check_combinations(const Options& o) {
  if (o.data.empty()) fail("--data FILE is required, as in: kann --data pts.ply --query q.ply --k 8; see kann --help");
  if (o.data == "-" && o.query == "-") fail("--data and --query cannot both be '-': there is one standard input");
  if (o.data == "-" && !o.data_format) fail(needs_format("--data"));
  if (o.query == "-" && !o.query_format) fail(needs_format("--query"));
  if (o.query_format && !o.query) fail("--query-format needs --query");
  if (o.quiet && o.verbose) fail("--quiet and --verbose exclude each other");
  if (o.output == "-" && !o.output_format)
    fail("--output - needs --output-format (npz, npy, csv, tsv, bin, ivecs, ibin, fvecs or fbin)");
  if (o.output == "-" && o.json) fail("--output - and --json exclude each other: both write to stdout");
  check_read_options({.columns = o.columns});
  check_options(o.search);
}

}  // namespace

void parse_options(int count, const char* const* arguments, Options& options) {
  const ParsedArguments parsed(count, arguments);
  for (const std::string_view name : {"help", "version"})
    if (const OptionSpec& option = *find_long(name); parsed.has(option)) return option.apply(options, {});

  const auto apply_options = [&](bool reporting) {
    for (const OptionSpec& option : option_table()) {
      if ((option.group == k_reporting) != reporting) continue;
      if (parsed.has(option))
        apply_argument(option, parsed.last_value(option), options);
      else if (option.has_variable)
        apply_variable(option, options);
    }
  };
  apply_options(true);
  refuse_variables_of_checks();
  if (!parsed.unexpected().empty()) fail_unexpected(parsed.unexpected().front());
  apply_options(false);
  if (options.output == "/dev/stdout") options.output = "-";
  check_combinations(options);
  choose_output(options);
}

}  // namespace kann::cli
