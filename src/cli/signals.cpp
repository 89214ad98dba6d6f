#include "cli/signals.hpp"

#include <signal.h>
#include <string_view>
#include <unistd.h>

#include "kann/io.hpp"

#include "cli/progress.hpp"

namespace kann::cli {
namespace {

constexpr int k_ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

// Async-signal-safe calls only. Does not return: the signal may have interrupted a library or the CUDA driver anywhere.
extern "C" void end_program(int signal) {
  kann::remove_pending_outputs();
  clear_progress_in_signal_handler();
  const std::string_view line = signal == SIGINT ? "kann: error: interrupted; no partial output is left\n"
                                                 : "kann: error: terminated; no partial output is left\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(128 + signal);
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  for (const int signal : k_ending_signals) sigaddset(&action.sa_mask, signal);
  action.sa_handler = end_program;
  for (const int signal : k_ending_signals) {
    struct sigaction inherited {};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
}

}  // namespace kann::cli
