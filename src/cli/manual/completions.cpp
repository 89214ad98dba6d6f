// The completion scripts for shells, one function each; values come from words_of() and from the metavar FILE.
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "cli/manual/manual.hpp"
#include "cli/options/option_table.hpp"

namespace kann::cli {
namespace {

constexpr std::string_view k_zsh_quote = "'\\''", k_fish_quote = "\\'";

/// The text in single quotes. `quote` is how the shell writes a quote within single quotes.
std::string quote(std::string_view text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += quote;
    else
      out += c;
  return out + "'";
}

/// A pattern of bash that matches the option's names: `-k|--k`.
std::string bash_pattern(const OptionSpec& option) {
  return (option.letter ? std::string("-") + option.letter + "|" : "") + flag_of(option);
}

/// The text with colons escaped, as _arguments takes a colon for the end of a part of the specification.
std::string escaped_colons(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == ':' ? "\\" : "").append(1, c);
  return out;
}

/// A specification of zsh's _arguments: `'(-k --k)'{-k+,--k=}'[neighbours per query]:N: '`.
std::string zsh_argument(const OptionSpec& option) {
  const std::string flag = flag_of(option) + (option.is_flag() ? "" : "=");
  std::string value;
  if (!option.is_flag()) {
    const std::string words = escaped_colons(words_text(option));
    value = option.implicit_value.empty() ? ":" : "::";
    value += std::string(option.name) + ":";
    value += takes_file(option) ? "_files" : words.empty() ? " " : "(" + words + ")";
  }
  const std::string help = "[" + std::string(short_help(option)) + "]" + value;
  if (!option.letter) return quote(flag + help, k_zsh_quote);
  const std::string letter = std::string("-") + option.letter;
  return "'(" + letter + " " + flag_of(option) + ")'{" + letter + (option.is_flag() ? "" : "+") + "," + flag + "}" +
         quote(help, k_zsh_quote);
}

}  // namespace

std::string_view short_help(const OptionSpec& option) {
  const std::string_view text = option.help.substr(0, option.help.find_first_of(";:[]"));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string words_text(const OptionSpec& option) {
  std::string text;
  for (const std::string_view word : words_of(option)) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

std::string bash_completion() {
  std::string out = R"(# bash completion for kann, as kann --generate complete-bash prints it.
_kann() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
  # --device=cpu is three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $option == = ]] && ((COMP_CWORD > 1)); then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  case $option in
)";
  std::string files, others, flags;
  for (const OptionSpec& option : option_table()) {
    const std::string pattern = bash_pattern(option), words = words_text(option);
    flags.append(flags.empty() ? "" : " ").append(flag_of(option));
    if (option.is_flag() || !option.implicit_value.empty()) continue;
    if (takes_file(option))
      files.append(files.empty() ? "" : "|").append(pattern);
    else if (words.empty())
      others.append(others.empty() ? "" : "|").append(pattern);
    else
      out += "    " + pattern + ")\n      mapfile -t COMPREPLY < <(compgen -W '" + words +
             "' -- \"$current\")\n      return\n      ;;\n";
  }
  out += "    " + files + R"()
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    )" + others +
         R"()
      return
      ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W ')" +
         flags + R"(' -- "$current")
    return
  fi
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  ((COMP_CWORD == 1)) && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W 'info check' -- "$current")
}
complete -F _kann kann
)";
  return out;
}

std::string zsh_completion() {
  std::string out =
      "#compdef kann\n# zsh completion for kann, as kann --generate complete-zsh prints it.\n_arguments -s \\\n  '1: "
      ":{ compadd info check; _files }' \\\n  '*:file:_files'";
  for (const OptionSpec& option : option_table()) out += " \\\n  " + zsh_argument(option);
  return out + "\n";
}

std::string fish_completion() {
  std::string out = "# fish completion for kann, as kann --generate complete-fish prints it.\n";
  for (const Subcommand& subcommand : subcommands())
    out +=
        fmt::format("complete -c kann -n __fish_is_first_token -a {} -d '{}'\n", subcommand.name, subcommand.summary);
  for (const OptionSpec& option : option_table()) {
    out += "complete -c kann -l " + std::string(option.name);
    if (option.letter) out += std::string(" -s ") + option.letter;
    const std::string words = words_text(option);
    if (takes_file(option))
      out += " -r -F";
    else if (!words.empty() && option.implicit_value.empty())
      out += " -x -a '" + words + "'";
    else if (!option.is_flag() && option.implicit_value.empty())
      out += " -x";
    out += " -d " + quote(short_help(option), k_fish_quote) + "\n";
  }
  return out;
}

}  // namespace kann::cli
