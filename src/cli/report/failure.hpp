// The end of a run that fails, on any thread: one message, one exit code, and a report with both.
#pragma once

#include <initializer_list>
#include <string_view>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// What the exception that is being handled says about a run. To be called in a catch block.
Failure current_failure(const Options& options, const Report& report);

/// Keeps copies for the report that another thread writes if it ends the program. Called after each step.
void remember_run(const Options& options, const Report& report);

/// Exists while the result gets its name, so that a thread that ends the program meanwhile can report whether it has
/// got it. Only one at a time, in main().
class ResultPublication {
 public:
  ResultPublication() noexcept;
  ~ResultPublication();
  ResultPublication(const ResultPublication&) = delete;
  ResultPublication& operator=(const ResultPublication&) = delete;

  /// Records that the result has its name, whatever follows.
  void set_done() noexcept;
};

/// Called by the thread that ends the program, before it prints anything. Does not return if another thread has called
/// it.
void claim_end() noexcept;
bool is_end_claimed() noexcept;

/// For a signal after another thread has called claim_end(), which gets 0.3 s to end the program itself: it may be
/// waiting for a full pipe.
void claim_end_in_time() noexcept;

/// Does not return if another thread has called claim_end(), so that nothing replaces what that thread writes last.
void stop_if_ended() noexcept;

/// For main(), after claim_end(): prints the message and publishes the report of a failed run. Further errors are
/// logged, not thrown, as the run has failed already.
void publish_failure(const Options& options, const Report& report);

/// Ends the program from any thread, after claim_end(): removes the pending outputs, publishes the report of what
/// remember_run() has kept, prints one line (the parts of the message in a row) and calls _exit(). Blocks for a second
/// at most, whatever the other threads hold. An allocation that fails costs the report, not the line.
[[noreturn]] void end_program(std::string_view kind, int exit_code,
                              std::initializer_list<std::string_view> message) noexcept;

/// Calls _exit(exit_code) 0.9 s after the first call. Async-signal-safe.
void limit_end(int exit_code) noexcept;

}  // namespace kann::cli
