// What the program does with its options: one job, a batch, or a text about itself.
#pragma once

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"
#include "flow/ranks/communicator.hpp"

namespace kann::program {

/// Does what the options ask for. Blocks. `report` is filled in step by step, so that after a failure it holds the
/// completed steps. All ranks call it. Returns the exit code: not 0 where jobs of a batch have failed, which
/// have said so.
/// @throws Error of every kind. The result file is then absent or unchanged, except when a check of the result fails or
///         cannot be done: then it is complete.
int run(const cli::Options& options, cli::Report& report, flow::Communicator& ranks);

}  // namespace kann::program
