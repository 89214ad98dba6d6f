// The lines of a file, only a part of which is held.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "kann/array.hpp"

#include "formats/files/input.hpp"

namespace kann::formats {

/// Like Lines, over the bytes of an input from `begin` to `end`. A line is valid until the next one.
class FileLines {
 public:
  /// @param lines_before number of lines before `begin`
  FileLines(const Input& input, std::size_t begin, std::int64_t lines_before, std::size_t end)
      : input_(input), begin_(begin), end_(end), number_(lines_before), held_end_(begin) {}

  /// Sets `line` to the next line, without its line end. False if there is none.
  /// @throws Error bad_input (read error, the file shrank).
  bool next(std::string_view& line) {
    std::size_t searched = next_;
    const char* end = nullptr;
    for (;;) {
      if (searched < held_.size()) end = find_end(searched);
      if (end) break;
      searched = held_.size() - next_;  // after fill(), the line begins at 0
      if (!fill()) break;
    }
    if (!end && next_ == held_.size()) return false;
    const char* const text = held_.data() + next_;
    line = {text, static_cast<std::size_t>((end ? end : held_.data() + held_.size()) - text)};
    next_ += line.size() + (end ? 1 : 0);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }

  /// Number in the file, from 1, of the last line.
  std::int64_t number() const { return number_; }

  /// Offset from `begin` of the byte after the last line and its line end.
  std::size_t offset() const { return held_end_ - held_.size() + next_ - begin_; }

 private:
  static constexpr std::size_t k_bytes = std::size_t{1} << 20;

  const char* find_end(std::size_t from) const {
    return static_cast<const char*>(std::memchr(held_.data() + from, '\n', held_.size() - from));
  }

  /// Drops the lines before, and reads on; false at the end.
  bool fill() {
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    const std::size_t old = held_.size();
    const std::size_t more = std::min(std::max(k_bytes, old), end_ - held_end_);
    if (more == 0) return false;
    held_.resize(old + more);
    input_.read_range(held_end_, std::as_writable_bytes(std::span(held_).subspan(old)));
    held_end_ += more;
    return true;
  }

  const Input& input_;
  const std::size_t begin_, end_;
  std::int64_t number_;
  Array<char> held_;
  std::size_t held_end_;  // offset in the file
  std::size_t next_ = 0;  // in held_, where the next line begins
};

}  // namespace kann::formats
