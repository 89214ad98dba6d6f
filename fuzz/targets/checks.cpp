#include "targets/checks.hpp"

#include <cstdio>
#include <cstdlib>

namespace kann::fuzz {
namespace {

/// The length of the valid UTF-8 sequence at the beginning of `text` that encodes no control character; else 0.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f;
  const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                             : first >= 0xe0 && first <= 0xef ? 3
                             : first >= 0xf0 && first <= 0xf4 ? 4
                                                              : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  const bool is_control = first == 0xc2 && second < 0xa0;  // C1
  return is_overlong || is_no_character || is_control ? 0 : length;
}

}  // namespace

void report(std::string_view property, std::string_view seen) {
  std::fprintf(stderr, "does not hold: %.*s\nseen: %.*s\n", static_cast<int>(property.size()), property.data(),
               static_cast<int>(seen.size()), seen.data());
  std::abort();
}

void check_line(std::string_view what, std::string_view text, std::size_t max_bytes) {
  const std::string name(what);
  if (text.empty()) report(name + " is not empty", text);
  if (text.size() > max_bytes) report(name + " has at most " + std::to_string(max_bytes) + " bytes", text);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = printable_length(rest);
    if (length == 0) report(name + " is one line of UTF-8 without control characters", text);
    rest.remove_prefix(length);
  }
}

void check_error(const Error& error, std::size_t max_bytes) {
  if (error.kind() != ErrorKind::bad_input && error.kind() != ErrorKind::usage && error.kind() != ErrorKind::resources)
    report("the error is of kind bad_input, usage or resources", error.what());
  check_line("the message", error.what(), max_bytes);
}

}  // namespace kann::fuzz
