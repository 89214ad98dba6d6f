#include "cli/report/outcome.hpp"

#include <string>
#include <unistd.h>

#include "kann/error.hpp"

#include "base/printable.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/report/statistics_table.hpp"
#include "cli/report/summary.hpp"
#include "cli/terminal/log.hpp"
#include "formats/files/output_file.hpp"

namespace kann::cli {

namespace {

constexpr std::size_t k_columns = 79;  // one less than a terminal has

bool is_terminal() { return isatty(STDOUT_FILENO) == 1; }

/// The statistics, which follow the name of the queries in a batch; if there are none, the paths of the pictures.
std::string text_without_result(const Options& options, const Report& report) {
  std::string text;
  if (!options.stats) {
    for (const OutputPath& picture : output_paths(options))
      text += (is_terminal() ? base::printable(picture.path) : picture.path) + "\n";
    return text;
  }
  if (options.is_batch_job) text += options.query.value_or(options.data) + "\n";
  for (const std::string& line : statistics_table(options, report, k_columns)) text += line + "\n";
  return text;
}

/// Whether stdout gets more than the paths of files.
bool is_for_stdout(const Options& options) {
  return options.output == "-" || options.json || (options.stats && !options.writes_result());
}

}  // namespace

void print(const std::string& text) {
  try {
    write_to_stdout(text);
  } catch (const formats::ReaderGone&) {
  }
}

void check_stdout(const Options& options) {
  if (!is_for_stdout(options)) return;
  try {
    formats::open_output("-", true);
  } catch (const formats::ReaderGone& e) {
    throw Error(ErrorKind::resources, e.what());
  }
}

void print_outcome(const Options& options, const Report& report) {
  const std::string path = is_terminal() ? base::printable(options.output) : options.output;
  try {
    if (options.json)
      publish_to_stdout(options, report);
    else if (!options.writes_result())
      write_to_stdout(text_without_result(options, report));
    else if (options.output != "-" && !(options.is_batch_job && is_terminal()))
      write_to_stdout(path + "\n");
  } catch (const formats::ReaderGone&) {
    if (!options.json && !options.writes_result() && options.stats) throw;  // the text is the result
    log_info("nobody reads stdout; the result is whole: " +
             (options.writes_result() ? options.output : output_paths(options).front().path));
  }
}

}  // namespace kann::cli
