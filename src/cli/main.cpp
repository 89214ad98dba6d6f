// The program kann. The only place that prints errors and decides the exit code.
#include <unistd.h>

#include "background.hpp"
#include "failure.hpp"
#include "log.hpp"
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"
#include "signals.hpp"
#include "standard_streams.hpp"
#include "sudden_end.hpp"

int main(int count, char** arguments) {
  using namespace kann::cli;
  Options options;
  Report report;
  try {
    reserve_standard_streams();
    handle_signals();
    handle_sudden_ends();
    parse_options(count - 1, arguments + 1, options);
    configure_log(options);
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
