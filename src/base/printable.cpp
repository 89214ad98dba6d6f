#include "base/printable.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace kann::base {
namespace {

using namespace std::string_view_literals;

/// First and last characters of ranges. UTF-8 sorts as the code points do, so that bytes can be compared.
constexpr std::pair<std::string_view, std::string_view> k_not_seen[] = {
    {"\0"sv, "\x1f"sv},                    // C0
    {"\x7f"sv, "\x7f"sv},                  // DEL
    {"\xc2\x80"sv, "\xc2\x9f"sv},          // C1
    {"\xd8\x9c"sv, "\xd8\x9c"sv},          // U+061C, Arabic letter mark
    {"\xe2\x80\x8e"sv, "\xe2\x80\x8f"sv},  // U+200E and U+200F, left-to-right and right-to-left marks
    {"\xe2\x80\xa8"sv, "\xe2\x80\xae"sv},  // U+2028 and U+2029, separators; to U+202E, embeddings and overrides
    {"\xe2\x81\xa6"sv, "\xe2\x81\xa9"sv},  // U+2066 to U+2069, isolates
    {"\xef\xbb\xbf"sv, "\xef\xbb\xbf"sv},  // U+FEFF, the byte order mark
};

bool is_seen(std::string_view character) {
  return std::ranges::none_of(k_not_seen, [&](const auto& range) {
    return character.size() == range.first.size() && character >= range.first && character <= range.second;
  });
}

void append_hex(std::string_view bytes, std::string& out) {
  constexpr char digits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [size, is_character] = first_utf8_part(text);
    const std::string_view part = text.substr(0, size);
    if (is_character && is_seen(part))
      out += part;
    else
      append_hex(part, out);
    text.remove_prefix(size);
  }
  return out;
}

std::size_t whole_characters(std::string_view text, std::size_t most) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t size = first_utf8_part(text.substr(length)).size;
    if (length + size > most) break;
    length += size;
  }
  return length;
}

}  // namespace kann::base
