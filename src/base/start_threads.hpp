// Starts the OpenMP threads before the work: libgomp ends the process when it cannot start one.
#pragma once

namespace kann::base {

struct StartedThreads {
  int count = 1;   ///< threads that run, the caller's included
  int wanted = 1;  ///< threads that were asked for, or that the machine has
};

/// Starts the OpenMP threads of the calling thread, for its parallel loops from then on. `asked` is as in
/// SearchOptions. If it is 0 and the machine's threads cannot all be started, starts half of those that can, so that
/// memory remains beside their stacks. Blocks.
/// @throws Error resources if fewer than `asked` can be started.
StartedThreads start_threads(int asked);

}  // namespace kann::base
