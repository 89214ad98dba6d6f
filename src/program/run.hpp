// What the program does with its options: one job, a batch, or a text about itself; and what a rank of several does
// otherwise than a process that is alone.
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

/// The others are heard by rank 0 alone: what they would print, to both streams, goes nowhere.
void silence();

/// Refuses processes that a launcher of MPI started together, but that MPI has not connected: each would make the whole
/// search and write the same file. Those that srun started without MPI may be meant to be independent: a warning.
/// @throws Error usage.
void check_connection(const cli::Options& options, cli::Report& report, const flow::Communicator& ranks);

/// Refuses ranks that were given other arguments than rank 0: their parts would not fit together. @throws Error usage.
void check_same_arguments(int count, const char* const* arguments, flow::Communicator& ranks);

/// The options of this rank: of a part of the rows its own output, and no report but on rank 0.
/// @throws Error usage: what several ranks cannot do.
cli::Options options_of_rank(const cli::Options& options, const flow::Communicator& ranks);

}  // namespace kann::program
