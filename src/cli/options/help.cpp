#include "cli/options/help.hpp"

#include <algorithm>
#include <string_view>

#include "kann/search.hpp"

#include "cli/options/option_table.hpp"

namespace kann::cli {
namespace {

constexpr std::size_t k_width = 80;
constexpr std::size_t k_help_column = 26;

constexpr std::string_view k_usage = R"(
Usage: kann --data FILE [--query FILE...] [options]
       kann --jobs FILE [--data FILE] [options]

)";

constexpr std::string_view k_closing = R"(
Exit codes: 0 done, 1 a check failed, 2 usage, 3 bad input, 4 memory, disk or
output, 5 no usable device, 70 internal error, 129, 130 and 143 interrupted,
141 nobody reads the result on stdout.
)";

/// Appends `text`, wrapped to k_width columns. The first line continues the last line of `out`, which has `indent`
/// columns; the others are indented by as many.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (column > indent && column + 1 + word.size() > k_width) {
      out.append(1, '\n').append(indent, ' ');
      column = indent;
    }
    if (column > indent) out += ' ', ++column;
    out += word;
    column += word.size();
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  out += '\n';
}

void append_option(std::string& out, const OptionSpec& option) {
  std::string names = option.letter ? std::string("  -") + option.letter + ", " : std::string(6, ' ');
  names += flag_of(option);
  if (!option.is_flag()) names.append(1, ' ').append(option.metavar);
  if (option.is_repeatable) names += "...";
  out += names;
  if (names.size() + 2 > k_help_column)
    out.append(1, '\n').append(k_help_column, ' ');
  else
    out.append(k_help_column - names.size(), ' ');
  append_wrapped(out, option.help, k_help_column);
}

void append_variables(std::string& out) {
  std::string text = "Environment variables:";
  for (const OptionSpec& option : option_table())
    if (option.has_variable) text.append(" ").append(variable_of(option)).append(",");
  text.back() = '.';
  text += " Each sets the option of its name; an option on the command line wins.";
  out += '\n';
  append_wrapped(out, text, 0);
}

}  // namespace

std::string help_text() {
  std::string out = "Examples:\n";
  out.append(k_examples).append(k_usage).append(k_description);
  std::string_view group;
  for (const OptionSpec& option : option_table()) {
    if (option.group != group) out.append(1, '\n').append(option.group).append(":\n");
    group = option.group;
    append_option(out, option);
  }
  append_variables(out);
  out += k_closing;
  return out;
}

std::string version_text() {
  const CudaStatus cuda = cuda_status();
  std::string out = "kann ";
  out.append(version()).append(" (commit ").append(build_commit()).append(")\n");
  out.append("CUDA: ").append(cuda.usable ? "device 0 is usable" : "no device (" + cuda.reason + ")").append("\n");
  return out;
}

}  // namespace kann::cli
