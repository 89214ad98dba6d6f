// The progress line on stderr, redrawn in place and erased at the end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "cli/terminal/progress_text.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {

/// The line is shown from the first call until clear() or the destructor, and never wider than the terminal, or 80
/// columns elsewhere. After a second without a call, it is redrawn with the time left as of now. Only one object at a
/// time.
class Progress {
 public:
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool is_shown() const { return enabled_; }

  /// Begins a phase ("search"): drawn at once.
  void phase(std::string_view name);

  /// Shows how far the phase is, how fast, and, after some seconds, how long it will still take. If the amount falls,
  /// the estimate of the rate begins anew. Draws at a minimum interval of 0.1 s; other calls are cheap.
  void update(const Amount& amount);

  /// update() with bytes, for readers and writers.
  auto of_bytes() {
    return [this](std::uint64_t done, std::uint64_t total) {
      update({static_cast<double>(done), static_cast<double>(total)});
    };
  }

  /// Shows the given name and figures instead of those of the phase, as often as update().
  void show(std::string_view name, std::string_view figures);

  /// Seconds until the end of the phase; 0 while it is too early to say.
  double seconds_left() const;

  /// Erases the line, before other output.
  void clear();

 private:
  void keep_current(const std::stop_token& stop);
  void count();
  bool is_due() const;
  void draw_amount();
  void draw(std::string_view name, std::string_view figures);

  bool enabled_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any woken_;
  std::string name_;
  RateEstimate rate_;
  Amount amount_;
  std::chrono::steady_clock::time_point last_draw_{};
  std::jthread clock_;
};

/// Erases the line if it is shown. Async-signal-safe.
void clear_progress_in_signal_handler() noexcept;

}  // namespace kann::cli
