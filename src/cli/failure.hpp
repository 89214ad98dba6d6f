// The end of a failed run: one message, one exit code, and a report with both.
#pragma once

#include "cli/options.hpp"
#include "cli/report.hpp"

namespace kann::cli {

/// Kind and message of the exception being handled. To be called in a catch block.
Failure current_failure();

/// Publishes the report of a failed run. Logs further errors instead of throwing them, as the run has failed already.
void publish_failure(const Options& options, const Report& report);

}  // namespace kann::cli
