// One run of the program: reads the clouds, searches, writes result and report.
#pragma once

#include "cli/options.hpp"
#include "cli/report.hpp"

namespace kann::cli {

/// Runs what the options ask for: a search, or help or version. Blocks. `report` is filled in step by step, so that
/// after a failure it holds the completed steps.
/// @throws Error of every kind. The result file is then absent or unchanged, except when a check of the result fails or
///         cannot be done: then it is complete.
void run(const Options& options, Report& report);

}  // namespace kann::cli
