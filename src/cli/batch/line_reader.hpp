// Reads lines from a file or a pipe as they arrive.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace kann::cli {

class LineReader {
 public:
  /// @param file an open descriptor, which the caller continues to own
  explicit LineReader(int file) : file_(file) {}

  enum class Outcome { line, too_long, end };

  /// The next line without its newline. Blocks while a pipe has none, unless is_stopped() becomes true: then, as at the
  /// end, there is none. Lines of more than a mebibyte are skipped. @throws std::system_error.
  Outcome next(std::string& line, const std::function<bool()>& is_stopped);

 private:
  bool read_more(const std::function<bool()>& is_stopped);

  int file_;
  std::string buffer_;
  std::size_t begin_ = 0;  // where the text that was not given yet begins
  bool is_at_end_ = false;
};

}  // namespace kann::cli
