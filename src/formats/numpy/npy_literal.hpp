// Parses the part of Python's literals that NumPy writes into the header of an array file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kann::formats {

class NpyLiteral {
 public:
  /// `text` is the header, `offset` its place in the file called `file`.
  NpyLiteral(std::string_view text, std::size_t offset, const std::string& file)
      : text_(text), offset_(offset), file_(file) {}

  /// Always throws Error bad_input, with the byte and the text at the current position.
  [[noreturn]] void fail(std::string_view what) const;

  /// Always throws Error bad_input, with the byte `start` and the value that begins there; `hint` says what to do
  /// instead.
  [[noreturn]] void fail(std::string_view what, std::size_t start, std::string_view value, std::string_view hint) const;

  void skip_space();
  bool is_at_end() const { return position_ == text_.size(); }
  bool next_is(char c);  ///< whether the next character is c, blanks aside
  bool accept(char c);   ///< next_is(c); if so, takes it
  void expect(char c);   ///< @throws Error bad_input unless accept()

  std::string_view read_string();  ///< in either kind of quotes, without escapes
  std::uint64_t read_size();
  bool read_bool();

  std::size_t position() const { return position_; }
  void go_back_to(std::size_t position) { position_ = position; }

  /// The text from `start` up to and including the next `last`; all of it if there is none.
  std::string_view text_to(char last, std::size_t start) const;

  const std::string& file() const { return file_; }

 private:
  const std::string_view text_;
  const std::size_t offset_;
  const std::string& file_;
  std::size_t position_ = 0;
};

}  // namespace kann::formats
