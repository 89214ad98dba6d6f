// Characters of text that may not be UTF-8, such as file names.
#pragma once

#include <cstddef>
#include <string_view>

namespace kann::base {

struct Utf8Part {
  std::size_t size;  ///< in bytes
  bool is_character;
};

/// The first character of `text`, which is not empty; or, if it is invalid, the bytes that Unicode replaces by one
/// U+FFFD (section 3.9, table 3-7). Examples: both bytes of "\xe2\x82", the first byte of "\xe2(".
inline Utf8Part first_utf8_part(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xc2 || first > 0xf4) return {1, false};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  unsigned char smallest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;  // bounds of the second byte
  unsigned char largest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < smallest || byte(i) > largest) return {i, false};
    smallest = 0x80;
    largest = 0xbf;
  }
  return {length, true};
}

}  // namespace kann::base
