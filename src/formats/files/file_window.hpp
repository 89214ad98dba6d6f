// A window on the bytes of a file that are looked at from front to back: only a part of them is held.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "kann/array.hpp"

#include "formats/files/input.hpp"

namespace kann::formats {

class FileWindow {
 public:
  explicit FileWindow(const Input& input) : input_(input) {}

  /// The `count` bytes from `offset` on, which must lie within Input::size(); valid until the next call. They
  /// may be anywhere, but going back is slow. @throws Error bad_input (read error, the file shrank).
  const char* operator()(std::size_t offset, std::size_t count) {
    if (offset < begin_ || offset - begin_ + count > held_.size()) fill(offset, count);
    return held_.data() + (offset - begin_);
  }

 private:
  static constexpr std::size_t k_bytes = std::size_t{1} << 20;

  void fill(std::size_t offset, std::size_t count) {
    begin_ = offset;
    held_.resize(std::min(std::max(k_bytes, count), input_.size() - offset));
    input_.read_range(offset, std::as_writable_bytes(std::span(held_)));
  }

  const Input& input_;
  Array<char> held_;
  std::size_t begin_ = 0;
};

/// Whether all bytes of an input whose size is known are among `bytes`, from `begin` on.
inline bool holds_only(const Input& input, std::size_t begin, std::string_view bytes) {
  constexpr std::size_t part = std::size_t{1} << 16;
  FileWindow window(input);
  for (std::size_t size; begin < input.size(); begin += size) {
    size = std::min(part, input.size() - begin);
    if (std::string_view(window(begin, size), size).find_first_not_of(bytes) != std::string_view::npos) return false;
  }
  return true;
}

}  // namespace kann::formats
