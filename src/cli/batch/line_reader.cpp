#include "cli/batch/line_reader.hpp"

#include <cerrno>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kann::cli {
namespace {

constexpr std::size_t k_max_line = std::size_t{1} << 20;

}  // namespace

/// Waits for bytes and reads them. False at the end, or if is_stopped().
bool LineReader::read_more(const std::function<bool()>& is_stopped) {
  constexpr std::size_t at_once = std::size_t{64} << 10;
  constexpr int milliseconds = 50;
  for (;;) {
    pollfd ready{file_, POLLIN, 0};
    if (poll(&ready, 1, milliseconds) == 0) {
      if (is_stopped()) return false;
      continue;
    }
    const std::size_t size = buffer_.size();
    buffer_.resize(size + at_once);
    const ssize_t got = read(file_, buffer_.data() + size, at_once);
    buffer_.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got > 0) return true;
    if (got == 0) is_at_end_ = true;
    if (got == 0) return false;
    if (errno != EINTR && errno != EAGAIN) throw std::system_error(errno, std::generic_category());
  }
}

LineReader::Outcome LineReader::next(std::string& line, const std::function<bool()>& is_stopped) {
  bool is_too_long = false;
  for (std::size_t searched = begin_;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      is_too_long |= end - begin_ > k_max_line;
      line.assign(buffer_, begin_, is_too_long ? 0 : end - begin_);
      begin_ = end + 1;
      return is_too_long ? Outcome::too_long : Outcome::line;
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    if (buffer_.size() > k_max_line) {
      is_too_long = true;
      buffer_.clear();
    }
    searched = buffer_.size();
    if (read_more(is_stopped)) continue;
    if (!is_at_end_ || (buffer_.empty() && !is_too_long)) return Outcome::end;
    line = is_too_long ? std::string() : std::exchange(buffer_, {});
    buffer_.clear();
    return is_too_long ? Outcome::too_long : Outcome::line;
  }
}

}  // namespace kann::cli
