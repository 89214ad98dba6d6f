#include "cli/terminal/progress.hpp"

#include <atomic>
#include <cstdio>
#include <system_error>
#include <unistd.h>

#include "base/printable.hpp"
#include "cli/terminal/log.hpp"

namespace kann::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto k_interval = std::chrono::milliseconds(100);
constexpr auto k_longest = std::chrono::milliseconds(1000);  // the longest time that the line stays unchanged
constexpr std::string_view k_erase_line = "\r\x1b[K";        // go to the start of the line, erase to its end
constexpr std::string_view k_program = "kann: ";

std::atomic<bool> line_is_shown{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler reads it");

}  // namespace

Progress::Progress(bool enabled) : enabled_(enabled) {
  if (!enabled) return;
  try {
    clock_ = std::jthread([this](const std::stop_token& stop) { keep_current(stop); });
  } catch (const std::system_error&) {  // no thread can be started: the line is only drawn by calls from the work
  }
}

Progress::~Progress() {
  clock_ = {};  // ends the thread, and waits for it
  clear();
}

void Progress::phase(std::string_view name) {
  const std::lock_guard lock(mutex_);
  name_ = name;
  rate_ = {};
  amount_ = {};
  if (enabled_) draw(name_, "");
}

void Progress::update(const Amount& amount) {
  const std::lock_guard lock(mutex_);
  if (amount.done < amount_.done) rate_ = {};
  amount_ = amount;
  count();
  if (is_due()) draw_amount();
}

void Progress::show(std::string_view name, std::string_view figures) {
  const std::lock_guard lock(mutex_);
  amount_ = {};
  if (is_due()) draw(name, figures);
}

double Progress::seconds_left() const {
  const std::lock_guard lock(mutex_);
  return rate_.seconds_left(amount_.total);
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (line_is_shown.exchange(false)) std::fwrite(k_erase_line.data(), 1, k_erase_line.size(), stderr);
}

/// Redraws the line with the time left as of now: it grows while work stands still.
void Progress::keep_current(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    woken_.wait_for(lock, stop, k_longest, [] { return false; });
    if (!line_is_shown || amount_.done == 0 || Clock::now() - last_draw_ < k_longest) continue;
    count();
    draw_amount();
  }
}

/// Adds the current amount to the estimate of the rate.
void Progress::count() {
  rate_.add(std::chrono::duration<double>(Clock::now().time_since_epoch()).count(), amount_.done);
}

bool Progress::is_due() const { return enabled_ && Clock::now() - last_draw_ >= k_interval; }

void Progress::draw_amount() {
  draw(name_, amount_text(amount_, rate_.per_second(), rate_.seconds_left(amount_.total)));
}

void Progress::draw(std::string_view name, std::string_view figures) {
  const std::size_t columns = columns_of_stderr();
  std::string line(k_erase_line);
  line += progress_line(std::string(k_program) + base::printable(name), figures, columns);
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
