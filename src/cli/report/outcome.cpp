#include "cli/report/outcome.hpp"

#include <string>
#include <unistd.h>

#include "kann/error.hpp"

#include "cli/report/publish_report.hpp"
#include "cli/report/statistics_table.hpp"
#include "cli/terminal/log.hpp"
#include "io/files/output_file.hpp"

namespace kann::cli {

void print(const std::string& text) {
  try {
    write_to_stdout(text);
  } catch (const io::ReaderGone&) {
  }
}

namespace {

/// The statistics; in a batch below the name of the queries.
std::string table_text(const Options& options, const Report& report) {
  std::string text = options.is_batch_job ? options.query.value_or(options.data) + "\n" : "";
  for (const std::string& line : statistics_table(*report.statistics, report.query->dimensions)) text += line + "\n";
  return text;
}

}  // namespace

void check_stdout(const Options& options) {
  if (options.output != "-" && !options.json && options.writes_result()) return;
  try {
    io::open_output("-", true);
  } catch (const io::ReaderGone& e) {
    throw Error(ErrorKind::resources, e.what());
  }
}

void print_outcome(const Options& options, const Report& report) {
  const std::string path = isatty(STDOUT_FILENO) == 1 ? printable(options.output) : options.output;
  try {
    if (options.json)
      publish_to_stdout(options, report);
    else if (!options.writes_result())
      write_to_stdout(table_text(options, report));
    else if (options.output != "-")
      write_to_stdout(path + "\n");
  } catch (const io::ReaderGone&) {
    log_info("nobody reads stdout; the result is whole: " + options.output);
  }
}

}  // namespace kann::cli
