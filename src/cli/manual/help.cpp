#include "cli/manual/help.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "kann/search.hpp"

#include "cli/manual/manual.hpp"
#include "cli/options/option_table.hpp"

namespace kann::cli {
namespace {

constexpr std::size_t k_width = 80;
constexpr std::size_t k_help_column = 26;

constexpr std::string_view k_usage = R"(
Usage: kann DATA [QUERY...] [options]
       kann --data FILE [--query FILE...] [options]
       kann --jobs FILE [--data FILE] [options]
       kann info FILE... [options]
       kann check RESULT... [options]

)";

constexpr std::string_view k_most_used =
    R"(Finds the k nearest neighbours of points in point clouds, on a GPU or the CPU.

Usage: kann DATA [QUERY...] [options]
       kann info FILE...     says what is in files
       kann check RESULT...  judges stored results

  DATA             the cloud to search: PLY, LAS, PCD, CSV, NPY and others
  QUERY...         points whose neighbours are wanted [those of DATA]
  -k N|all         neighbours per point [8]; all: every one within --radius
  -o FILE          the result: .npz, .csv, .ply, .las and others [QUERY.knn.npz]
  --radius R       only neighbours within R, the nearest k of them
  --method NAME    exact, or shifted-sort for an approximate answer [exact]
  --stats          print the distances as a table
  --transfer NAME  give the queries an attribute of the data
  --force          replace an existing output

Examples:
)";

constexpr std::string_view k_closing = R"(
Exit codes: 0 done, 1 a check failed, 2 usage, 3 bad input, 4 memory, disk or
output, 5 no usable device, 70 internal error, 129, 130 and 143 interrupted,
141 nobody reads the result on stdout.
)";

/// Appends `text`, wrapped to k_width columns. The first line continues the last line of `out`, which has `indent`
/// columns; the others are indented by `indent`.
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
  if (option.takes_several()) names += "...";
  out += names;
  if (names.size() + 2 > k_help_column)
    out.append(1, '\n').append(k_help_column, ' ');
  else
    out.append(k_help_column - names.size(), ' ');
  append_wrapped(out, option.help, k_help_column);
}

}  // namespace

std::string help_text(const Subcommand& subcommand) {
  std::string out = fmt::format("{}\nUsage: kann {} FILE... [options]\n\n{}\nOptions:\n", subcommand.description,
                                subcommand.name, subcommand.examples);
  for (OptionSpec option : option_table()) {
    if (!takes(subcommand, option)) continue;
    option.help = short_help(option);  // what follows is about searches
    append_option(out, option);
  }
  return out;
}

std::string short_help_text() {
  return std::string(k_most_used)
      .append(k_examples)
      .append("kann --help lists more options, kann --help all every one.\n");
}

std::string help_text(Audience audience) {
  std::string out = "Examples:\n";
  out.append(k_examples).append(k_usage).append(k_description);
  std::string_view group;
  for (const OptionSpec& option : option_table()) {
    if (option.audience == Audience::few && audience == Audience::most) continue;
    if (option.group != group) out.append(1, '\n').append(option.group).append(":\n");
    group = option.group;
    append_option(out, option);
  }
  out += '\n';
  append_wrapped(out, variables_text(), 0);
  out += k_closing;
  if (audience == Audience::most) out += "\nkann --help all lists every option.\n";
  return out;
}

std::string variables_text() {
  std::string text = "Environment variables:";
  for (const OptionSpec& option : option_table())
    if (option.has_variable) text.append(" ").append(variable_of(option)).append(",");
  text.back() = '.';
  return text + " Each sets the option of its name; an option on the command line wins.";
}

std::string version_text() {
  const CudaStatus cuda = cuda_status();
  std::string out = "kann ";
  out.append(version()).append(" (commit ").append(build_commit()).append(")\n");
  out.append("CUDA: ").append(cuda.usable ? "device 0 is usable" : "no device (" + cuda.reason + ")").append("\n");
  return out;
}

}  // namespace kann::cli
