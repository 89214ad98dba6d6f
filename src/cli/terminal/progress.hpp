// The progress line on stderr, redrawn in place and erased at the end.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace kann::cli {

/// The line is shown from the first call until clear() or the destructor. One object at a time, used by one thread.
class Progress {
 public:
  explicit Progress(bool enabled) : enabled_(enabled) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool is_shown() const { return enabled_; }

  /// Begins a phase ("search"): drawn at once.
  void phase(std::string_view name);

  /// The current step, the done fraction of the phase and, after a second, how long it will still take. Draws at a
  /// minimum interval of 0.1 s; other calls are cheap.
  void update(std::string_view step, double fraction);

  /// Shows a text in the place of step and fraction, as often as update().
  void show(const std::string& text);

  /// Until the end of the phase, of which that fraction is done; 0 while it is too early to say.
  double seconds_left(double fraction) const;

  /// Erases the line, before other output.
  void clear();

 private:
  void draw(const std::string& text);

  bool enabled_;
  std::chrono::steady_clock::time_point phase_start_{}, last_draw_{};
};

/// Erases the line if it is shown. Async-signal-safe.
void clear_progress_in_signal_handler() noexcept;

}  // namespace kann::cli
