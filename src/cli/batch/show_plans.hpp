// --plan: prints what a run would do, or each job of a batch.
#pragma once

#include "cli/options/options.hpp"

namespace kann::cli {

/// Prints the plan of the run; of a batch, a line for each job. An error of a job is printed in its place, and the
/// others follow. Blocks. Returns the exit code: that of the first job that cannot be made, else 0.
/// @throws Error as plan_job() and open_jobs(); resources, formats::ReaderGone: stdout cannot be written.
int show_plans(const Options& options);

}  // namespace kann::cli
