// Ends of the program that main() does not see: an uncaught exception in a thread, and exit() called by a library.
#pragma once

namespace kann::cli {

/// Installs the handlers. std::terminate() removes the pending outputs, prints one line and exits with 4 after
/// std::bad_alloc, else with 70. exit() removes the pending outputs; libgomp calls exit(1) when it cannot start a
/// thread.
void handle_termination();

}  // namespace kann::cli
