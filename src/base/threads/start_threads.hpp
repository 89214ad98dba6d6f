// Starts the threads before the work, and says if there are fewer than wanted.
#pragma once

namespace kann::base {

struct StartedThreads {
  int count = 1;   ///< threads that run, the caller's included
  int wanted = 1;  ///< threads that were asked for, or that the machine has
};

/// Starts the threads that the parallel loops of the calling thread will use. `asked` is SearchOptions::threads. If it
/// is 0 and not all of the machine's threads can be started, keeps half of those that can, so that memory remains
/// beside their stacks. Blocks.
/// @throws Error resources if fewer than `asked` can be started.
StartedThreads start_threads(int asked);

}  // namespace kann::base
