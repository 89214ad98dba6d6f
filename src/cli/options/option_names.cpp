// The words, the keys and the variables that follow from the table of options.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_table.hpp"

namespace kann::cli {

std::vector<std::string_view> words_of(const OptionSpec& option) {
  std::vector<std::string_view> words;
  std::string_view rest = option.words.empty() ? option.metavar : option.words;
  if (option.words.empty() && rest.find('|') == std::string_view::npos) return words;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of("|, "));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const bool is_of_user = std::ranges::any_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!word.empty() && word != "or" && !is_of_user) words.push_back(word);
  }
  return words;
}

std::span<const Subcommand> subcommands() {
  static constexpr Subcommand all[] = {
      {"info", Action::info, Action::show_info_help, "says what is in files", "pts.ply",
       R"(Says what is in the files of point clouds: the format, the number of points,
their extent and density, the coordinate system, and each column with its type
and the range of its values. Each file is read once, in blocks. A file that
cannot be read gets an error; the exit code is that of the first.
)",
       R"(  kann info *.las
      what is in each LAS file of the folder
  kann info --json cloud.ply | jq .points
      the number of points, for a script
)",
       "--data-format, --columns, --header, --quotes, --sky, --threads, --json, --quiet, --progress, --color, --help"},
      {"check", Action::check, Action::show_check_help, "judges stored results", "q.knn.npz",
       R"(Judges results that are stored in .npz: reads the clouds again that a result
names, and compares its rows with exact ones, or a reference. Clouds that
have moved are looked for beside the result; the result says by a hash whether
they are the same. A result that fails gets an error, and the others follow; the
exit code is that of the first.
)",
       R"(  kann check --sample 10000 out/*.knn.npz
      10,000 rows of each result against exact ones
  kann check --min-recall 0.97 --against truth.ivecs q.knn.npz
      the recall against a ground truth, for a script
)",
       "--sample, --against, --min-recall, --threads, --json, --quiet, --verbose, --progress, --color, --help"}};
  return all;
}

bool takes(const Subcommand& subcommand, const OptionSpec& option) {
  return fmt::format("{},", subcommand.options).find(fmt::format("{},", flag_of(option))) != std::string::npos;
}

ConfigKey config_key(const OptionSpec& option) {
  const auto kind = [&] {
    if (option.group == k_about || option.group == k_configuration || option.group == k_of_check)
      return ConfigKind::absent;
    if (option.is_flag()) return ConfigKind::flag;
    if (!option.implicit_value.empty()) return ConfigKind::optional_number;
    if (option.takes_several()) return ConfigKind::texts;
    if (option.metavar.find(',') != option.metavar.npos) return ConfigKind::list;
    if (option.metavar.find('|') == 1) return ConfigKind::number_or_word;
    return option.metavar.size() == 1 || option.metavar == "STEP" ? ConfigKind::number : ConfigKind::text;
  };
  return {option.name, kind(), option.implicit_value};
}

std::string flag_of(const OptionSpec& option) { return "--" + std::string(option.name); }

std::string variable_of(const OptionSpec& option) {
  std::string variable = "KANN_";
  for (const char c : option.name) variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return variable;
}

}  // namespace kann::cli
