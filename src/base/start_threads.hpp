// Starts the threads before the work, and says if there are fewer than wanted.
#pragma once

namespace kann::base {

struct StartedThreads {
  int count = 1;   ///< threads that run, the caller's included
  int wanted = 1;  ///< threads that were asked for, or that the machine has
};

/// Starts the threads of the calling thread, for its parallel loops from then on. `asked` is as in SearchOptions. If it
/// is 0 and the machine's threads cannot all be started, keeps half of those that can, so that memory remains beside
/// their stacks. Blocks.
/// @throws Error resources if fewer than `asked` can be started.
StartedThreads start_threads(int asked);

}  // namespace kann::base
