#include "cli/terminal/progress.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <unistd.h>

#include "cli/terminal/log.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto k_interval = std::chrono::milliseconds(100);
constexpr std::string_view k_erase_line = "\r\x1b[K";  // go to the start of the line, erase to its end

std::atomic<bool> line_is_shown{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler reads it");

}  // namespace

void Progress::phase(std::string_view name) {
  phase_start_ = Clock::now();
  if (enabled_) draw(printable(name));
}

void Progress::update(std::string_view step, double fraction) {
  if (!enabled_ || Clock::now() - last_draw_ < k_interval) return;
  const int percent = static_cast<int>(std::lround(100 * std::clamp(fraction, 0.0, 1.0)));
  const double left = seconds_left(fraction);
  const std::string rest = left > 0 ? ", " + duration_text(left) + " left" : "";
  draw(std::string(step) + " " + std::to_string(percent) + "%" + rest);
}

void Progress::show(const std::string& text) {
  if (enabled_ && Clock::now() - last_draw_ >= k_interval) draw(text);
}

double Progress::seconds_left(double fraction) const {
  return cli::seconds_left(std::chrono::duration<double>(Clock::now() - phase_start_).count(), fraction);
}

void Progress::clear() {
  if (line_is_shown.exchange(false)) std::fwrite(k_erase_line.data(), 1, k_erase_line.size(), stderr);
}

void Progress::draw(const std::string& text) {
  const std::string line = std::string(k_erase_line) + "kann: " + text;
  line_is_shown = true;
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  last_draw_ = Clock::now();
}

void clear_progress_in_signal_handler() noexcept {
  if (line_is_shown) [[maybe_unused]]
    const auto written = write(STDERR_FILENO, k_erase_line.data(), k_erase_line.size());
}

}  // namespace kann::cli
