// One line on stderr that says what is going on, redrawn in place and gone at the end.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace kann::cli {

/// Shown from the first call on until `clear()` or the end of its life. One at a time; one thread.
class Progress {
 public:
  explicit Progress(bool enabled) : enabled_(enabled) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a phase ("search"): drawn at once.
  void phase(std::string_view name);

  /// Within a phase: the step it is at, and the fraction of the phase that is done. Drawn ten times a second at most,
  /// so that it costs nothing to call often.
  void update(std::string_view step, double fraction);

  /// Wipes the line, for other output.
  void clear();

 private:
  void draw(const std::string& text);

  bool enabled_;
  std::chrono::steady_clock::time_point last_draw_{};
};

/// Wipes the line from inside a signal handler, if one is shown.
void clear_progress_in_signal_handler() noexcept;

}  // namespace kann::cli
