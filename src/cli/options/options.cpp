// Reads the command line, the variables and the configuration. CLI11 splits the command line into options and texts;
// the option table gives their values and messages.
#include "cli/options/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/usage_error.hpp"
#include "cli/config/config_file.hpp"
#include "cli/options/combinations.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/output_path.hpp"
#include "cli/options/unexpected_argument.hpp"
#include "formats/table/axes.hpp"

namespace kann::cli {
namespace {

/// What CLI11 reports for an option without a value, or for a flag with an empty value. No argument contains NUL.
const std::string k_no_value(1, '\0');

/// More values than a command line can hold. CLI11's own maximum does not work with a minimum of 0: it then accepts no
/// values at all.
constexpr int k_many_values = 1 << 24;

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
    for (int i = 0; i < count; ++i) {
      const std::string_view next = i + 1 < count ? arguments[i + 1] : "";
      const bool is_dropped = next.starts_with('-') && !next.starts_with("--");
      if (arguments[i] == std::string_view("--attributes") && is_dropped)  // CLI11 takes -NAME for an option
        texts.push_back(fmt::format("--attributes={}", arguments[++i]));
      else
        add_normalised(arguments[i], i + 1 < count ? arguments[i + 1] : nullptr, texts);
    }
    std::ranges::reverse(texts);  // CLI11 takes them in reverse order
    app_.parse(std::move(texts));
    for (std::string& text : app_.remaining()) unexpected_.push_back(std::move(text));
  }

  bool has(const OptionSpec& option) const { return parsed(option).count() > 0; }
  /// The values that count: all values of an option that may be repeated, otherwise the last one.
  std::vector<std::string> values(const OptionSpec& option) const {
    const auto& all = parsed(option).results();
    return option.is_repeatable ? all : std::vector{all.back()};
  }
  const std::vector<std::string>& unexpected() const { return unexpected_; }

  /// Takes words without a dash as the data and then the queries. Where an option names one of these, further words are
  /// left, as they may be mistakes: `--data a.ply --stats 5`.
  void take_clouds() {
    CLI::Option &data = parsed(*find_long("data")), &query = parsed(*find_long("query"));
    const bool names_data = data.count() > 0, names_query = query.count() > 0;
    std::vector<std::string> others;
    for (std::string& word : unexpected_) {
      if (word == "--") continue;  // words follow
      const bool is_path = word == "-" || (!word.empty() && word[0] != '-' && !seems_subcommand(word));
      if (!is_path || names_data || (names_query && data.count() > 0))
        others.push_back(std::move(word));
      else
        (data.count() > 0 ? query : data).add_result(std::move(word));
    }
    unexpected_ = std::move(others);
  }

 private:
  CLI::Option* declare(const OptionSpec& option) {
    const std::string names = (option.letter ? std::string("-") + option.letter + "," : "") + flag_of(option);
    // CLI11 accepts a missing value, so that the message is ours and the next option is not taken as the value.
    CLI::Option* const declared =
        option.is_flag() ? app_.add_flag(names)
                         : app_.add_option(names, [](const CLI::results_t&) { return true; })->expected(0, 1);
    if (!option.is_flag()) declared->default_str(k_no_value);
    if (option.takes_several()) declared->expected(0, k_many_values);
    return declared->multi_option_policy(option.is_repeatable ? CLI::MultiOptionPolicy::TakeAll
                                                              : CLI::MultiOptionPolicy::TakeLast);
  }

  /// Whether the word is the value of an option that may go without: a number, if only "10,000", or one of its words.
  /// Else it is a cloud.
  static bool is_value(const OptionSpec& option, const char* word) {
    if (!word) return false;
    const std::string_view text = word;
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return (error == std::errc() && stop == text.data() + text.size()) ||
           text.find_first_not_of("0123456789,_") == text.npos || text == option.implicit_value ||
           std::ranges::count(words_of(option), text) > 0;
  }

  /// Rewrites what CLI11 would read in another sense: `--k=` (an empty value), `-k=8`, long names with one dash, and
  /// `--verify` before a word that is not its value. Rewrites `--exact` as `--method=exact`, so that the last of the
  /// two counts.
  void add_normalised(std::string_view argument, const char* next, std::vector<std::string>& texts) {
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
    if (option && argument == flag_of(*option) && !option->implicit_value.empty() && !is_value(*option, next)) {
      texts.push_back(flag_of(*option) + "=" + std::string(option->implicit_value));
    } else if (!option || equals == argument.size()) {
      texts.emplace_back(argument);
    } else if (equals + 1 == argument.size()) {
      texts.push_back(flag_of(*option) + (option->is_flag() ? "=" + k_no_value : ""));
      if (!option->is_flag()) texts.emplace_back();
    } else {
      texts.push_back(flag_of(*option) + std::string(argument.substr(equals)));
    }
  }

  CLI::Option& parsed(const OptionSpec& option) const {
    return *parsed_[static_cast<std::size_t>(&option - option_table().data())];
  }

  CLI::App app_;
  std::vector<CLI::Option*> parsed_;  // one per option, in the order of the table
  std::vector<std::string> unexpected_;
};

Given given_by_argument(const OptionSpec& option, const std::string& text) {
  const std::string flag = flag_of(option);
  if (option.is_flag() && text != "true")
    base::fail_usage(flag + " takes no value, got '" + (text == k_no_value ? "" : text) + "'");
  if (text == k_no_value) base::fail_usage(flag + " expects a value (" + std::string(option.metavar) + "), got none");
  return {flag, text};
}

std::optional<Given> given_by_variable(const OptionSpec& option) {
  const std::string variable = variable_of(option);
  const char* const text = option.has_variable ? std::getenv(variable.c_str()) : nullptr;
  if (!text || !*text) return std::nullopt;  // an empty variable counts as not set
  return Given{variable, text};
}

/// The settings of --config. If the file is wrong, `problem` says why; that is reported after the options of reporting
/// are read.
ConfigFile read_config(const ParsedArguments& parsed, Options& options) try {
  const OptionSpec& option = *find_long("config");
  if (!parsed.has(option)) return {};
  option.apply(options, given_by_argument(option, parsed.values(option).back()));
  std::vector<ConfigKey> keys;
  for (const OptionSpec& known : option_table()) keys.push_back(config_key(known));
  return read_config_file(*options.config, keys, known_elsewhere);
} catch (const Error& error) {
  if (error.kind() != ErrorKind::usage) throw;
  return {{}, error.what()};
}

/// Whether the file's setting of this option yields to an option on the command line that excludes it, such as quiet =
/// true to -v, and the window of a shifted sort to --exact.
bool is_outdone(const OptionSpec& option, const ParsedArguments& parsed) {
  const OptionSpec& method = *find_long("method");
  if (option.name == "shifts" || option.name == "window")
    return parsed.has(method) && parsed.values(method).back() == "exact";
  constexpr std::pair<std::string_view, std::string_view> exclusive[] = {
      {"quiet", "verbose"}, {"query", "jobs"}, {"query", "grid"}};
  return std::ranges::any_of(exclusive, [&](const auto& names) {
    return (option.name == names.first && parsed.has(*find_long(names.second))) ||
           (option.name == names.second && parsed.has(*find_long(names.first)));
  });
}

/// The values of the option: from the command line, else from its variable, else from the last line of the file that
/// sets it (all such lines if it may be repeated).
std::vector<Given> given(const OptionSpec& option, const ParsedArguments& parsed, const ConfigFile& file) {
  std::vector<Given> found;
  if (parsed.has(option)) {
    for (const std::string& value : parsed.values(option)) found.push_back(given_by_argument(option, value));
    return found;
  }
  if (auto variable = given_by_variable(option)) return {std::move(*variable)};
  for (const ConfigSetting& setting : file.settings) {
    if (&option_table()[setting.key] != &option || is_outdone(option, parsed)) continue;
    if (!option.is_repeatable) found.clear();
    found.push_back({setting.where, setting.text});
  }
  return found;
}

/// Refuses a window and shifts that the file sets without a method that has them, and names the line.
void check_method(const ParsedArguments& parsed, const ConfigFile& file, const Options& options) {
  if (options.search.method != Method::exact) return;
  for (const ConfigSetting& setting : file.settings) {
    const OptionSpec& option = option_table()[setting.key];
    if ((option.name == "shifts" || option.name == "window") && !parsed.has(option) && !is_outdone(option, parsed))
      base::fail_usage(setting.where + " is for approximate answers; it needs method = \"shifted-sort\" or \"paper\"");
  }
}

/// The arguments as a command that a shell reads as the same, for the page of --html.
std::string command_of(int count, const char* const* arguments) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:=+@%";
  std::string command = "kann";
  for (int i = 0; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) {
      command.append(" ").append(word);
      continue;
    }
    command += " '";
    for (const char c : word) c == '\'' ? command += "'\\''" : command += c;
    command += "'";
  }
  return command + "\n";
}

/// Refuses other options beside an option that only prints: `--generate man -o kann.1`, for example, would write no
/// file.
void check_alone(const OptionSpec& alone, const ParsedArguments& parsed) {
  std::string other = parsed.unexpected().empty() ? "" : parsed.unexpected().front();
  for (const OptionSpec& option : option_table())
    if (&option != &alone && parsed.has(option)) other = flag_of(option);
  if (!other.empty())
    base::fail_usage(flag_of(alone) + " prints to stdout and takes no other option, got '" + other + "'");
}

/// Applies options that are given: those of reporting, or all others.
void apply_given(const ParsedArguments& parsed, const ConfigFile& file, bool reporting, Options& options,
                 const Subcommand* subcommand = nullptr) {
  for (const OptionSpec& option : option_table()) {
    if ((option.group == k_reporting) != reporting || (subcommand && !takes(*subcommand, option))) continue;
    for (const Given& value : given(option, parsed, file)) {
      option.apply(options, value);
      if (const std::string word = fmt::format("{}={}", flag_of(option), value.text); says_how_to_read(word))
        options.reading.push_back(word);
    }
  }
}

/// Reads what follows the word of a subcommand.
void parse_files(const Subcommand& subcommand, const ParsedArguments& parsed, Options& options) {
  const std::string name = fmt::format("kann {}", subcommand.name);
  if (parsed.has(*find_long("help"))) {
    options.action = subcommand.help;
    return;
  }
  options.action = subcommand.action;
  apply_given(parsed, {}, true, options, &subcommand);
  refuse_unknown_variables();
  for (const OptionSpec& option : option_table())
    if (parsed.has(option) && !takes(subcommand, option))
      base::fail_usage(fmt::format("{} is no option of {}, which takes {}", flag_of(option), name, subcommand.options));
  for (const std::string& argument : parsed.unexpected()) {
    if (argument.size() > 1 && argument[0] == '-') fail_unexpected(argument);
    if (argument.empty()) base::fail_usage(name + " expects files, got ''");
    options.files.push_back(argument);
  }
  apply_given(parsed, {}, false, options, &subcommand);
  if (options.files.empty())
    base::fail_usage(fmt::format("{0} expects files, as in: {0} {1}; see {0} --help", name, subcommand.file));
  options.verify = !options.compare || options.verify_sample > 0;
  if (std::ranges::count_if(options.files, is_stdin) > 1) base::fail_usage(name + ": there is one standard input");
  if (options.action == Action::info && std::ranges::count(options.files, "-") > 0 && !options.data_format)
    base::fail_usage(fmt::format("{} - needs --data-format ({})", name, k_point_formats));
  formats::check_columns(options.columns);
}

}  // namespace

std::vector<Feature> shapes_of(const Options& options) {
  std::vector<Feature> shapes;
  for (const std::string& name : options.features)
    if (std::ranges::count(k_row_features, name) == 0) shapes.push_back(feature_of(name).value());
  return shapes;
}

std::vector<std::string> feature_column_names(const Options& options) {
  std::vector<std::string> names;
  for (const std::string& name : options.features)
    if (std::ranges::count(k_row_features, name) > 0) names.push_back(name);
  for (const Attribute& column : feature_columns(shapes_of(options))) names.push_back(column.name);
  return names;
}

bool names_column(const Options& options, std::string_view column) {
  return options.keep.names(column) || (options.draws() && options.picture_by == column);
}

bool says_how_to_read(std::string_view word) {
  constexpr std::string_view flags[] = {
      "--data-format=", "--query-format=", "--columns=",     "--query-columns=", "--header=",
      "--quotes=",      "--where=",        "--query-where=", "--invalid="};
  return std::ranges::any_of(flags, [&](std::string_view flag) { return word.starts_with(flag); });
}

void parse_options(int count, const char* const* arguments, Options& options) {
  options.command = command_of(count, arguments);
  for (const Subcommand& subcommand : subcommands())
    if (count > 0 && arguments[0] == subcommand.name)
      return parse_files(subcommand, ParsedArguments(count - 1, arguments + 1), options);
  ParsedArguments parsed(count, arguments);
  for (const std::string_view name : {"help", "version"})
    if (const OptionSpec& option = *find_long(name); parsed.has(option))
      return option.apply(options, {flag_of(option), parsed.values(option).back()});
  if (const OptionSpec& option = *find_long("generate"); parsed.has(option)) {
    check_alone(option, parsed);
    return option.apply(options, given_by_argument(option, parsed.values(option).back()));
  }

  parsed.take_clouds();
  const ConfigFile file = read_config(parsed, options);
  apply_given(parsed, file, true, options);
  refuse_unknown_variables();
  if (!file.problem.empty()) base::fail_usage(file.problem);
  for (const OptionSpec& option : option_table())
    if (option.group == k_of_check && parsed.has(option))
      base::fail_usage(flag_of(option) + " is an option of kann check; a search takes --verify and --compare");
  if (!parsed.unexpected().empty()) fail_unexpected(parsed.unexpected().front());
  apply_given(parsed, file, false, options);
  check_method(parsed, file, options);
  // A minimum recall without a check would have no effect, and nobody would notice. A reference that only the file
  // names may be easy to meet
  if (options.min_recall && !parsed.has(*find_long("compare"))) options.verify = true;
  if (options.output == "/dev/stdout") options.output = "-";
  if (options.queries.size() == 1) options.query = options.queries.front();
  if (options.outliers && !options.k_is_given) options.search.k = std::max(options.search.k, options.outliers->k);
  if (options.sky && !(options.search.sky = angle_unit(options.unit.value_or("deg"))))
    base::fail_usage(fmt::format("--unit expects {} with --sky, got '{}'", k_angle_units, *options.unit));
  if (options.match == Match::mutual && !options.k_is_given) options.search.k = 1;
  options.has_page = options.html && !options.is_batch();
  check_combinations(options);
  if (options.cluster) options.search.k = 1;  // as the memory of neighbours is planned, of which there are none
  if (!options.is_batch()) choose_output(options, 1);
}

}  // namespace kann::cli
