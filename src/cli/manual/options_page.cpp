// The page of all options. Options and groups are those of --help all; the default has a column of its own.
#include <algorithm>
#include <string>
#include <string_view>

#include "cli/manual/help.hpp"
#include "cli/manual/manual.hpp"

namespace kann::cli {
namespace {

/// `text` in backticks. Even there, a bar would end the cell of a table.
std::string code(std::string_view text) {
  std::string out = "`";
  for (const char c : text) out.append(c == '|' ? "\\" : "").append(1, c);
  return out + "`";
}

/// The text in Markdown: options and variables become code; characters that would start a cell, a tag or emphasis are
/// escaped.
std::string markdown(std::string_view text) {
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  std::string out;
  while (!text.empty()) {
    const bool is_name = text.starts_with("--") || text.starts_with("KANN_");
    const auto end = is_name ? std::ranges::find_if_not(text, is_of_name) : text.begin() + 1;
    const std::string_view part(text.begin(), end);
    out += is_name ? code(part) : (part.find_first_of("|<*") == part.npos ? "" : "\\") + std::string(part);
    text.remove_prefix(part.size());
  }
  return out;
}

/// A row of a table: names, meaning and, from the brackets at the end of the help, the default.
std::string row(const OptionSpec& option) {
  std::string_view meaning = option.help, standard;
  if (meaning.ends_with(']')) {
    const std::size_t bracket = meaning.rfind('[');
    standard = meaning.substr(bracket + 1, meaning.size() - bracket - 2);
    meaning = meaning.substr(0, meaning.find_last_not_of(' ', bracket - 1) + 1);
  }
  std::string name = flag_of(option);
  if (!option.is_flag()) name.append(" ").append(option.metavar).append(option.takes_several() ? "..." : "");
  return "| " + (option.letter ? code(std::string("-") + option.letter) + ", " : "") + code(name) + " | " +
         markdown(meaning) + " | " + markdown(standard) + (standard.empty() ? "|\n" : " |\n");
}

}  // namespace

std::string options_page() {
  std::string out = "# Options\nThis page lists all options of `kann`; `kann --generate markdown` prints it.\n";
  std::string_view group;
  for (const OptionSpec& option : option_table()) {
    if (option.group != group)
      out.append("\n## ").append(option.group).append("\n| option | meaning | default |\n|---|---|---|\n");
    group = option.group;
    out += row(option);
  }
  return out + "\n" + markdown(variables_text()) + "\n";
}

}  // namespace kann::cli
