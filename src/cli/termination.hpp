// Ends of the program that pass main() by: an exception that nobody can catch, and exit() called by a library.
#pragma once

namespace kann::cli {

/// From here on: std::terminate(), as for an exception in another thread, removes the pending outputs, prints one line
/// and exits with 4 when memory was short, else with 70; exit() removes them too. libgomp calls exit(1) when it cannot
/// start a thread.
void handle_termination();

}  // namespace kann::cli
