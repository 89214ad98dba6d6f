#include "cli/process/termination.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <signal.h>
#include <string_view>
#include <unistd.h>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "cli/process/signals.hpp"
#include "cli/report/failure.hpp"
#include "cli/terminal/progress.hpp"

namespace kann::cli {
namespace {

constexpr int k_internal = static_cast<int>(ErrorKind::internal);

[[noreturn]] void end_by_internal_error(std::string_view what) {
  end_program("internal", k_internal, {"internal error: ", what, "; please report it"});
}

void on_terminate() {
  claim_end();  // memory may run out in all threads at once
  try {
    if (const std::exception_ptr exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    end_program("resources", static_cast<int>(ErrorKind::resources), {"not enough host memory"});
  } catch (const std::exception& e) {
    end_by_internal_error(e.what());
  } catch (...) {
    end_by_internal_error("unknown exception");
  }
  end_by_internal_error("terminated without an exception");
}

void on_exit() {
  if (is_end_claimed()) return remove_pending_outputs();
  claim_end();
  end_by_internal_error("a library ended the program");
}

// Async-signal-safe calls only: the thread of handle_signals() writes the report.
extern "C" void on_crash(int signal) {
  static std::atomic_flag has_crashed = ATOMIC_FLAG_INIT;
  if (!has_crashed.test_and_set()) end_from_handler(signal);
  remove_pending_outputs();
  clear_progress_in_signal_handler();
  constexpr std::string_view line = "kann: error: internal error: the program crashed; please report it\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(k_internal);
}

void handle_crashes() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers report crashes themselves
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
#endif
}

}  // namespace

void handle_termination() {
  std::set_terminate(on_terminate);
  std::atexit(on_exit);
  handle_crashes();
}

}  // namespace kann::cli
