// The program kann. The only place that prints errors and decides the exit code.
#include <unistd.h>

#include "cli/background.hpp"
#include "cli/failure.hpp"
#include "cli/job.hpp"
#include "cli/log.hpp"
#include "cli/options.hpp"
#include "cli/report.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "cli/termination.hpp"
#include "cli/variables.hpp"

namespace kann::cli {
namespace {

/// Takes the command line in. What is to be said about variables comes before a mistake that it may explain.
void begin(int count, const char* const* arguments, Options& options, Report& report) {
  const auto tell = [&] {
    configure_log(options);
    if (options.action != Action::search) return;
    report.warnings = warnings_of_variables();
    for (const std::string& warning : report.warnings) log_warning(warning);
  };
  try {
    parse_options(count, arguments, options);
  } catch (...) {
    tell();
    throw;
  }
  tell();
}

}  // namespace
}  // namespace kann::cli

int main(int count, char** arguments) {
  using namespace kann::cli;
  Options options;
  Report report;
  try {
    reserve_standard_streams();
    handle_signals();
    handle_termination();
    begin(count - 1, arguments + 1, options, report);
    run(options, report);
    return 0;
  } catch (...) {
    report.failure = current_failure();
  }
  configure_log(options);
  log_error(report.failure->message);
  publish_failure(options, report);
  if (has_background_work()) _exit(report.failure->exit_code());  // all output went out by write(2)
  return report.failure->exit_code();
}
