// The end of a run that fails: one message, one exit code, and a report with both.
#pragma once

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// What the exception that is being handled says about a run. To be called in a catch block.
Failure current_failure(const Options& options, const Report& report);

/// For main(): publishes the report of a failed run and prints its message. Further errors are logged, not thrown, as
/// the run has failed already.
void publish_failure(const Options& options, const Report& report);

}  // namespace kann::cli
