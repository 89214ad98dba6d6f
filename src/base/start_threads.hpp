// The threads of the loops, started before the work: libgomp ends the process when it cannot start one.
#pragma once

namespace kann::base {

struct StartedThreads {
  int count = 1;   ///< there are
  int wanted = 1;  ///< were asked for, or make up the machine
};

/// Starts the OpenMP threads of the caller's thread, which its parallel loops use from then on. `asked` is as in
/// SearchOptions. Where that is 0 and not all that the machine has can be started, there are half of those that can, so
/// that the work has room beside their stacks. Blocks.
/// @throws Error resources: fewer can be started than were asked for.
StartedThreads start_threads(int asked);

}  // namespace kann::base
