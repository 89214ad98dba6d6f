#include "cli/options/variables.hpp"

#include <algorithm>
#include <string_view>
#include <unistd.h>

#include "kann/error.hpp"

#include "base/suggest.hpp"
#include "cli/options/option_table.hpp"

namespace kann::cli {
namespace {

constexpr std::string_view k_prefix = "KANN_";
constexpr std::string_view k_read_by_scripts[] = {"KANN_PRESET"};

std::string suggestion(std::string_view unknown) {
  std::vector<std::string> variables;
  for (const OptionSpec& option : option_table())
    if (option.has_variable) variables.push_back(variable_of(option));
  // Names are compared without the common prefix: the longer a name, the more letters may differ.
  std::vector<std::string_view> names;
  for (const std::string_view variable : variables) names.push_back(variable.substr(k_prefix.size()));
  const std::string_view nearest = base::nearest_name(unknown.substr(k_prefix.size()), names);
  if (nearest.empty()) return "see kann --help";
  return "did you mean '" + std::string(k_prefix) + std::string(nearest) + "'?";
}

/// The option of a check that a variable is named after, exactly or more nearly than after any other option.
const OptionSpec* check_named_by(const std::string& variable) {
  const auto table = option_table();
  std::vector<std::string> variables;
  for (const OptionSpec& option : table) variables.push_back(variable_of(option));
  std::vector<std::string_view> names;
  for (const std::string& known : variables) names.push_back(std::string_view(known).substr(k_prefix.size()));
  const std::string_view nearest = base::nearest_name(std::string_view(variable).substr(k_prefix.size()), names);
  const auto found = std::ranges::find(names, nearest);
  if (nearest.empty() || found == names.end()) return nullptr;
  const OptionSpec& option = table[static_cast<std::size_t>(found - names.begin())];
  return option.group == k_check ? &option : nullptr;
}

/// Calls f(name, is_empty) for each variable that begins with KANN_ and is not one of the scripts.
void for_each_variable(auto f) {
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const std::string name(text.substr(0, text.find('=')));
    if (name.starts_with(k_prefix) && !std::ranges::count(k_read_by_scripts, name))
      f(name, text.size() <= name.size() + 1);
  }
}

}  // namespace

std::vector<std::string> warnings_of_variables() {
  std::vector<std::string> warnings;
  for_each_variable([&](const std::string& name, bool is_empty) {
    if (is_empty || check_named_by(name)) return;  // an empty variable counts as unset
    const auto table = option_table();
    const auto option = std::ranges::find(table, name, variable_of);
    if (option == table.end() || option->group == k_about)
      warnings.push_back("unknown variable '" + name + "'; " + suggestion(name));
    else if (!option->has_variable)
      warnings.push_back("variable '" + name + "' is not read; use " + flag_of(*option));
  });
  return warnings;
}

void refuse_variables_of_checks() {
  for_each_variable([](const std::string& name, bool) {
    if (const OptionSpec* const check = check_named_by(name))
      throw Error(ErrorKind::usage,
                  "variable '" + name + "' is not read, so nothing would be checked; use " + flag_of(*check));
  });
}

}  // namespace kann::cli
