// The words, the keys and the variables that follow from the table of options.
#include <algorithm>
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

bool is_of_info(const OptionSpec& option) {
  constexpr std::string_view names[] = {"data-format", "columns", "header",   "quotes", "sky", "threads",
                                        "json",        "quiet",   "progress", "color",  "help"};
  return std::ranges::count(names, option.name) > 0;
}

ConfigKey config_key(const OptionSpec& option) {
  const auto kind = [&] {
    if (option.group == k_about || option.group == k_configuration) return ConfigKind::absent;
    if (option.is_flag()) return ConfigKind::flag;
    if (!option.implicit_value.empty()) return ConfigKind::optional_number;
    if (option.takes_several()) return ConfigKind::texts;
    if (option.metavar.find(',') != option.metavar.npos) return ConfigKind::list;
    if (option.metavar.starts_with("N|")) return ConfigKind::number_or_word;
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
