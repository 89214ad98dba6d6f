// kann(1). Options, variables, examples and the description are those of --help all.
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "kann/search.hpp"

#include "cli/manual/help.hpp"
#include "cli/manual/manual.hpp"
#include "cli/options/option_table.hpp"

namespace kann::cli {
namespace {

constexpr std::string_view k_exit_status = R"(.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
A check failed, or nothing could be checked: \fB\-\-min\-recall\fR, \fB\-\-verify\fR of an exact answer.
.TP
.B 2
An option or the configuration is wrong.
.TP
.B 3
An input is wrong; the message names the file and the place.
.TP
.B 4
Memory, disk or output.
.TP
.B 5
No usable CUDA device.
.TP
.B 70
A bug in kann: please report it.
.TP
.BR 129 ", " 130 ", " 143
Hung up, interrupted, terminated; each file is the old one, or the new one as a whole.
.TP
.B 141
With \fB\-o \-\fR: the reader of standard output has left.
)";

constexpr std::string_view k_files = R"(.SH FILES
.TP
.I STEM.knn.npz
The default result, in the current folder; \fISTEM\fR is the name of the query file without folder and extension.
.TP
.I .NAME.kann\-RANDOM.tmp
A result that is being written, in the folder of \fINAME\fR. That of a killed run is removed by the next run that writes
to the folder.
.PP
No configuration is read but that of \fB\-\-config\fR.
)";

constexpr std::string_view k_see_also = R"(.SH SEE ALSO
.BR numpy.load ()
of Python reads results. The JSON Schema of the report is
.I report.schema.json
in the folder of the documentation.
)";

/// The text, escaped for troff: hyphens of options become minus signs, and no line begins with a control character.
std::string escaped(std::string_view text) {
  std::string out;
  bool starts_line = true;
  for (const char c : text) {
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    starts_line = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }

void append_entry(std::string& out, const OptionSpec& option) {
  out += ".TP\n";
  if (option.letter) out += bold(std::string("-") + option.letter) + ", ";
  out += bold(flag_of(option));
  if (!option.is_flag()) out += " \\fI" + escaped(option.metavar) + (option.takes_several() ? "..." : "") + "\\fR";
  out += "\n" + escaped(option.help) + ".\n";
}

void append_variables(std::string& out) {
  out += ".SH ENVIRONMENT\n";
  for (const OptionSpec& option : option_table())
    if (option.has_variable)
      out += ".TP\n.B " + variable_of(option) + "\nStands for " + bold(flag_of(option)) + ", which wins over it.\n";
  out += ".TP\n.B NO_COLOR\nNo colours, if it is not empty, unless " + bold("--color") + " asks for them.\n";
  out += ".PP\nOther variables that begin with KANN_ are errors.\n";
}

/// Appends each example as a line of code, followed by what it does.
void append_examples(std::string& out) {
  out += ".SH EXAMPLES\n";
  std::string_view rest = k_examples;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const std::size_t indent = line.find_first_not_of(' ');
    line.remove_prefix(indent);
    if (indent == 2)
      out += ".TP\n" + bold(line) + "\n";
    else
      out += escaped(line) + "\n";
  }
}

}  // namespace

std::string man_page() {
  std::string out = ".\\\" Printed by kann --generate man.\n";
  out += ".TH KANN 1 \"\" \"kann " + std::string(version()) + "\" \"User Commands\"\n";
  out += ".SH NAME\nkann \\- k nearest neighbours in point clouds, on a GPU or the CPU\n";
  out +=
      ".SH SYNOPSIS\n.B kann\n\\fIDATA\\fR [\\fIQUERY\\fR...] [\\fIoptions\\fR]\n"
      ".br\n.B kann\n\\fB\\-\\-data\\fR \\fIFILE\\fR [\\fB\\-\\-query\\fR \\fIFILE\\fR...] [\\fIoptions\\fR]\n"
      ".br\n.B kann\n\\fB\\-\\-jobs\\fR \\fIFILE\\fR [\\fB\\-\\-data\\fR \\fIFILE\\fR] [\\fIoptions\\fR]\n"
      ".br\n.B kann info\n\\fIFILE\\fR... [\\fIoptions\\fR]\n"
      ".br\n.B kann check\n\\fIRESULT\\fR... [\\fIoptions\\fR]\n";
  out += ".SH DESCRIPTION\n" + escaped(k_description);
  for (const Subcommand& subcommand : subcommands())
    out += fmt::format(".PP\n.B kann {}\n{}", subcommand.name, escaped(subcommand.description));
  out +=
      ".SH OPTIONS\nOptions come in any order. An option that is given twice takes the last value; "
      "\\fB\\-\\-query\\fR takes all.\n";
  std::string_view group;
  for (const OptionSpec& option : option_table()) {
    if (option.group != group) out += ".SS " + escaped(option.group) + "\n";
    group = option.group;
    append_entry(out, option);
  }
  append_variables(out);
  out += k_files;
  out += k_exit_status;
  append_examples(out);
  out += k_see_also;
  return out;
}

}  // namespace kann::cli
