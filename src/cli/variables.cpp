#include "cli/variables.hpp"

#include <algorithm>
#include <string_view>
#include <unistd.h>

#include "base/suggest.hpp"
#include "cli/option_table.hpp"

namespace kann::cli {
namespace {

constexpr std::string_view k_prefix = "KANN_";
constexpr std::string_view k_read_by_scripts[] = {"KANN_PRESET"};

std::string suggestion(std::string_view unknown) {
  std::vector<std::string> variables;
  for (const OptionSpec& option : option_table())
    if (option.has_variable) variables.push_back(variable_of(option));
  // Without the common prefix: the longer the name, the more letters may differ.
  std::vector<std::string_view> names;
  for (const std::string_view variable : variables) names.push_back(variable.substr(k_prefix.size()));
  const std::string_view nearest = base::nearest_name(unknown.substr(k_prefix.size()), names);
  if (nearest.empty()) return "see kann --help";
  return "did you mean '" + std::string(k_prefix) + std::string(nearest) + "'?";
}

}  // namespace

std::vector<std::string> warnings_of_variables() {
  std::vector<std::string> warnings;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const std::string name(text.substr(0, text.find('=')));
    const bool is_empty = text.size() <= name.size() + 1;  // an empty variable counts as unset
    if (!name.starts_with(k_prefix) || is_empty || std::ranges::count(k_read_by_scripts, name)) continue;

    const auto table = option_table();
    const auto option = std::ranges::find(table, name, variable_of);
    if (option == table.end() || option->group == k_about)
      warnings.push_back("unknown variable '" + name + "'; " + suggestion(name));
    else if (!option->has_variable)
      warnings.push_back("variable '" + name + "' is not read; use " + flag_of(*option));
  }
  return warnings;
}

}  // namespace kann::cli
