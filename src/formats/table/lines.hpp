// Splits text into lines, and lines into words separated by blanks.
#pragma once

#include <cstdint>
#include <string_view>

namespace kann::formats {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// `text` without blanks at either end.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the next word off the front of `rest`; empty when there is none. Example: "  a b" gives "a" and leaves " b".
inline std::string_view take_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

inline std::int64_t count_words(std::string_view line) {
  std::int64_t words = 0;
  while (!take_word(line).empty()) ++words;
  return words;
}

/// Iterates over the lines of a text. A line ends with LF, with CR LF or at the end of the text.
class Lines {
 public:
  /// @param lines_before number of lines that precede `text` in its file.
  explicit Lines(std::string_view text, std::int64_t lines_before = 0) : text_(text), number_(lines_before) {}

  /// Sets `line` to the next line, without its line end. False if there is none.
  bool next(std::string_view& line) {
    if (offset_ == text_.size()) return false;
    const std::size_t end = text_.find('\n', offset_);
    line = text_.substr(offset_, end == std::string_view::npos ? end : end - offset_);
    offset_ = end == std::string_view::npos ? text_.size() : end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }

  /// Adds to `line`, the last, those up to the one in which the quote at `open` is closed; two quotes are one within.
  /// False, and nothing changes, if it is not within `most` bytes.
  bool extend_to_close(const char* open, std::size_t most, std::string_view& line) {
    std::size_t at = static_cast<std::size_t>(open - text_.data()) + 1;
    const std::string_view within = text_.substr(0, at + most);
    while ((at = within.find('"', at)) != std::string_view::npos && text_.substr(at + 1).starts_with('"')) at += 2;
    if (at == std::string_view::npos) return false;
    const char* const begin = line.data();
    while (offset_ <= at) next(line);
    line = {begin, static_cast<std::size_t>(line.data() + line.size() - begin)};
    return true;
  }

  /// Number of bytes after the last line.
  std::size_t left() const { return text_.size() - offset_; }

  /// Number in the file, from 1, of the last line.
  std::int64_t number() const { return number_; }

  /// Offset in the text of the byte after the last line and its line end.
  std::size_t offset() const { return offset_; }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  std::int64_t number_;
};

}  // namespace kann::formats
