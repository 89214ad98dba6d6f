#include "cli/terminal/progress.hpp"

#include <atomic>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/printable.hpp"

namespace kann::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto k_interval = std::chrono::milliseconds(100);
constexpr std::string_view k_erase_line = "\r\x1b[K";  // go to the start of the line, erase to its end
constexpr std::string_view k_program = "kann: ";

std::atomic<bool> line_is_shown{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler reads it");

/// One less than those of the terminal: some wrap after the last.
std::size_t columns_of_stderr() {
  constexpr std::size_t by_default = 80;
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (is_known ? size.ws_col : by_default) - 1;
}

}  // namespace

void Progress::phase(std::string_view name) {
  name_ = name;
  rate_ = {};
  done_ = total_ = 0;
  if (enabled_) draw(name_, "");
}

void Progress::update(const Amount& amount) {
  if (amount.done < done_) rate_ = {};
  done_ = amount.done;
  total_ = amount.total;
  rate_.add(std::chrono::duration<double>(Clock::now().time_since_epoch()).count(), amount.done);
  if (is_due()) draw(name_, amount_text(amount, rate_.per_second(), seconds_left()));
}

void Progress::show(std::string_view name, std::string_view figures) {
  if (is_due()) draw(name, figures);
}

void Progress::clear() {
  if (line_is_shown.exchange(false)) std::fwrite(k_erase_line.data(), 1, k_erase_line.size(), stderr);
}

bool Progress::is_due() const { return enabled_ && Clock::now() - last_draw_ >= k_interval; }

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
