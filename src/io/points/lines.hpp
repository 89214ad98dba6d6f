// Lines, and blank-separated words in them, as the text formats see them.
#pragma once

#include <cstdint>
#include <string_view>

namespace kann::io {

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

/// Walks over the lines of a text that end in LF, CR LF or the text's end.
class Lines {
 public:
  /// @param lines_before lines that precede `text` in its file.
  explicit Lines(std::string_view text, std::int64_t lines_before = 0) : text_(text), number_(lines_before) {}

  /// Moves to the next line, and gives it without its end. False when there is none.
  bool next(std::string_view& line) {
    if (place_ == text_.size()) return false;
    const std::size_t end = text_.find('\n', place_);
    line = text_.substr(place_, end == std::string_view::npos ? end : end - place_);
    place_ = end == std::string_view::npos ? text_.size() : end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }

  /// Number in the file, from 1, of the line that next() gave last.
  std::int64_t number() const { return number_; }

  /// Bytes of the text up to and including the end of that line.
  std::size_t place() const { return place_; }

 private:
  std::string_view text_;
  std::size_t place_ = 0;
  std::int64_t number_;
};

}  // namespace kann::io
