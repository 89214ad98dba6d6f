// Prints what stdout gets from a job: the path of its result, or its report.
#pragma once

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// Refuses a closed stdout before the work begins, if the purpose of the run is its output there. @throws Error
/// resources.
void check_stdout(const Options& options);

/// Prints the result's path, or the report with --json. The result is complete, even if nobody reads them. On a
/// terminal, the paths of a batch are left out: there may be thousands.
void print_outcome(const Options& options, const Report& report);

/// Prints text that is no result: it is no error if nobody reads it.
void print(const std::string& text);

}  // namespace kann::cli
