// What a rank of several does otherwise than a process that is alone.
#pragma once

#include "cli/options/options.hpp"
#include "comm/communicator.hpp"

namespace kann::program {

/// The others are heard by rank 0 alone: what they would print, to both streams, goes nowhere.
void silence();

/// The options of this rank: of a part of the rows its own output, and no report but on rank 0.
/// @throws Error usage: what several ranks cannot do.
cli::Options options_of_rank(const cli::Options& options, const comm::Communicator& ranks);

}  // namespace kann::program
