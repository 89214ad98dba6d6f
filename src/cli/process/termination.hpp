// Handles ends of the program that main() does not see: an uncaught exception in a thread, exit() called by a library,
// a crash.
#pragma once

namespace kann::cli {

/// Installs the handlers, which all leave a report, one line and no temporary file. std::terminate() exits with 4 after
/// std::bad_alloc, else with 70; so does exit() before claim_end(), since 1 would say that a check failed; and SIGSEGV,
/// SIGBUS, SIGFPE, SIGILL and SIGABRT. A thread whose stack overflows needs a base::SignalStack.
void handle_termination();

}  // namespace kann::cli
