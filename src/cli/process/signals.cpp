#include "cli/process/signals.hpp"

#include <atomic>
#include <cstring>
#include <pthread.h>
#include <signal.h>
#include <string_view>
#include <unistd.h>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "base/threads/signal_stack.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/pending_reports.hpp"
#include "cli/terminal/progress.hpp"

namespace kann::cli {
namespace {

constexpr int k_ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

constexpr std::string_view k_interrupted = "interrupted; no partial output is left",
                           k_terminated = "terminated; no partial output is left";

sigset_t waited_for;
pthread_t waiting_thread;
std::atomic<bool> has_thread{false};
std::atomic<bool> are_ignored{false};
std::atomic<int> fatal_signal{0};  ///< the signal that a handler has passed to the thread

void* wait_for_signals(void*) {
  const base::SignalStack stack;
  int signal = 0;
  while (sigwait(&waited_for, &signal) != 0 || (are_ignored && fatal_signal == 0)) continue;
  if (const int fatal = fatal_signal) {
    limit_end(static_cast<int>(ErrorKind::internal));
    claim_end_in_time();
    end_program("internal", static_cast<int>(ErrorKind::internal),
                {"internal error: ", strsignal(fatal), "; please report it"});
  }
  limit_end(128 + signal);
  hold_pending_reports();
  claim_end_in_time();
  end_program("interrupted", 128 + signal, {signal == SIGINT ? k_interrupted : k_terminated});
}

// Async-signal-safe calls only. Does not return: the signal may have interrupted a library or the CUDA driver anywhere.
extern "C" void end_without_report(int signal) {
  kann::remove_pending_outputs();
  clear_progress_in_signal_handler();
  for (const std::string_view part :
       {std::string_view("kann: error: "), signal == SIGINT ? k_interrupted : k_terminated, std::string_view("\n")})
    [[maybe_unused]] const auto written = write(STDERR_FILENO, part.data(), part.size());
  _exit(128 + signal);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_mask = waited_for;
  action.sa_handler = end_without_report;
  for (const int signal : k_ending_signals)
    if (sigismember(&waited_for, signal) == 1) sigaction(signal, &action, nullptr);
  pthread_sigmask(SIG_UNBLOCK, &waited_for, nullptr);
}

}  // namespace

void handle_signals() {
  sigemptyset(&waited_for);
  for (const int signal : k_ending_signals) {
    struct sigaction inherited {};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&waited_for, signal);
  }
  pthread_sigmask(SIG_BLOCK, &waited_for, nullptr);
  sigaddset(&waited_for, SIGUSR2);  // sent by end_from_handler()
  sigset_t from_handler;
  sigemptyset(&from_handler);
  sigaddset(&from_handler, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &from_handler, nullptr);
  has_thread = pthread_create(&waiting_thread, nullptr, wait_for_signals, nullptr) == 0;
  if (!has_thread) install_handlers();

  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &ignore, nullptr);
}

void ignore_signals() noexcept {
  are_ignored = true;
  if (!has_thread)
    for (const int signal : k_ending_signals) ::signal(signal, SIG_IGN);
}

void end_from_handler(int signal) noexcept {
  if (!has_thread || pthread_equal(pthread_self(), waiting_thread)) return;
  limit_end(static_cast<int>(ErrorKind::internal));
  fatal_signal = signal;
  pthread_kill(waiting_thread, SIGUSR2);
  while (true) pause();
}

}  // namespace kann::cli
