// One run of the program: clouds in, result and report out.
#pragma once

#include "cli/options.hpp"
#include "cli/report.hpp"

namespace kann::cli {

/// Does what the options ask for. Blocks. `report` is filled in step by step, so that it is of use after a failure.
/// @throws Error of every kind; the result file is then absent or as it was, except when recall is below --min-recall.
void run(const Options& options, Report& report);

}  // namespace kann::cli
