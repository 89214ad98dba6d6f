#include "formats/numpy/npy_writer.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "formats/files/byte_sink.hpp"

namespace kann::formats {
namespace {

constexpr char32_t k_replacement_character = 0xfffd;

/// Removes one character from the front of `utf8` and returns it. If the sequence there is invalid (truncated,
/// overlong, a surrogate or above U+10FFFF), it removes one byte and returns U+FFFD.
char32_t take_character(std::string_view& utf8) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

  char32_t value = length == 1 ? first : first & (0x7fu >> length);
  bool valid = length > 0 && length <= utf8.size() && first < 0xf8;
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xc0) == 0x80;
    value = value << 6 | (byte(i) & 0x3fu);
  }
  valid = valid && value >= smallest[length] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
  utf8.remove_prefix(valid ? length : 1);
  return valid ? value : k_replacement_character;
}

}  // namespace

std::string npy_header(std::string_view descr, std::initializer_list<std::int64_t> shape) {
  std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t size : shape) text += std::to_string(size) + ", ";
  if (shape.size() > 0) text.resize(text.size() - (shape.size() == 1 ? 1 : 2));  // as Python prints a tuple
  text += "), }";

  constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);  // version 1.0
  const std::size_t before_text = magic.size() + sizeof(std::uint16_t);
  const std::size_t total = (before_text + text.size() + 1 + 63) / 64 * 64;
  text.resize(total - before_text - 1, ' ');
  text += '\n';

  std::string header(magic);
  append_number(header, static_cast<std::uint16_t>(text.size()));
  return header + text;
}

std::string npy_type(const AttributeValues& values) {
  return std::visit(
      []<class T>(const Array<T>&) {
        const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
        return std::string(sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
      },
      values);
}

std::string npy_text(std::string_view utf8) {
  std::u32string characters;
  while (!utf8.empty()) characters += take_character(utf8);
  characters.resize(std::max<std::size_t>(1, characters.size()));  // NumPy has no empty type; it drops final NULs

  std::string npy = npy_header("<U" + std::to_string(characters.size()), {});
  return npy.append(reinterpret_cast<const char*>(characters.data()), characters.size() * sizeof(char32_t));
}

}  // namespace kann::formats
