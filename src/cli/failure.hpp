// What a failed run means to the user: one message, one exit code, and a report that says so.
#pragma once

#include "cli/options.hpp"
#include "cli/report.hpp"

namespace kann::cli {

/// The exception that is being handled, in the user's terms: to be called in a catch block.
Failure current_failure();

/// Publishes the report of a failed run, as far as it can be: what goes wrong on the way is logged, as the run has
/// failed already.
void publish_failure(const Options& options, const Report& report);

}  // namespace kann::cli
