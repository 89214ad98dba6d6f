#include "cli/variables.hpp"

#include <algorithm>
#include <string_view>
#include <unistd.h>

#include "cli/option_table.hpp"
#include "cli/suggest.hpp"

namespace kann::cli {
namespace {

constexpr std::string_view k_prefix = "KANN_";

/// What is set for the scripts, the CUDA backend and its tests.
constexpr std::string_view k_of_others[] = {"KANN_PRESET", "KANN_CUDA_POOL", "KANN_TEST_THIN"};

std::vector<std::string> variables_of_options() {
  std::vector<std::string> names;
  for (const OptionSpec& option : option_table())
    if (std::string name = variable_of(option); !name.empty()) names.push_back(std::move(name));
  return names;
}

}  // namespace

std::vector<std::string> warnings_of_variables() {
  const std::vector<std::string> of_options = variables_of_options();
  std::vector<std::string_view> known;  // without the prefix, which says nothing about what was meant
  for (const std::string_view name : of_options) known.push_back(name.substr(k_prefix.size()));

  std::vector<std::string> warnings;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (!name.starts_with(k_prefix) || equals >= text.size() - 1) continue;  // an empty variable counts as unset
    if (std::ranges::count(of_options, name) || std::ranges::count(k_of_others, name)) continue;
    const std::string_view near = nearest_name(name.substr(k_prefix.size()), known);
    warnings.push_back(
        "unknown variable '" + std::string(name) + "'; " +
        (near.empty() ? "see kann --help" : "did you mean '" + std::string(k_prefix) + std::string(near) + "'?"));
  }
  return warnings;
}

}  // namespace kann::cli
