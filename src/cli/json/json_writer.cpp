#include "cli/json/json_writer.hpp"

#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace kann::cli {
namespace {

/// The number as nlohmann-json writes it, so that reports and meta keep their bytes: 0.25, 2.0, 1e-05, 1.5e+20.
std::string decimal(double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, std::fabs(number), std::chars_format::scientific).ptr;
  const std::string_view scientific(digits, static_cast<std::size_t>(end - digits));  // d.ddde±xx
  const std::size_t e = scientific.find('e');
  std::string mantissa(scientific.substr(0, e));
  if (mantissa.size() > 1) mantissa.erase(1, 1);
  int exponent = 0;
  std::from_chars(digits + e + (digits[e + 1] == '+' ? 2 : 1), end, exponent);

  const int size = static_cast<int>(mantissa.size()), point = exponent + 1;  // digits before the point
  std::string out = std::signbit(number) ? "-" : "";
  if (size <= point && point <= 15)
    out += mantissa + std::string(static_cast<std::size_t>(point - size), '0') + ".0";
  else if (0 < point && point <= 15)
    out += mantissa.insert(static_cast<std::size_t>(point), 1, '.');
  else if (-4 < point && point <= 0)
    out += "0." + std::string(static_cast<std::size_t>(-point), '0') + mantissa;
  else
    out += (size == 1 ? mantissa : mantissa.insert(1, 1, '.')) + std::string(scientific.substr(e));
  return out;
}

void append_escaped(std::string& out, char c) {
  constexpr char digits[] = "0123456789abcdef";
  constexpr std::string_view letters = "\b\t\n\f\r\"\\", names = "btnfr\"\\";
  if (const std::size_t letter = letters.find(c); letter != letters.npos)
    out.append(1, '\\').append(1, names[letter]);
  else if (static_cast<unsigned char>(c) < 0x20)
    out.append("\\u00").append(1, digits[c >> 4]).append(1, digits[c & 15]);
  else
    out += c;
}

}  // namespace

void JsonWriter::begin(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  is_first_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!is_first_) new_line();
  text_ += bracket;
  is_first_ = false;
}

void JsonWriter::key(std::string_view key) {
  separate();
  quote(key);
  text_ += is_indented_ ? ": " : ":";
  has_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::value(std::uint64_t number) { literal(std::to_string(number)); }

void JsonWriter::value(std::int64_t number) { literal(std::to_string(number)); }

void JsonWriter::value(double number) { std::isfinite(number) ? literal(decimal(number)) : null(); }

void JsonWriter::literal(std::string_view text) {
  separate();
  text_ += text;
}

/// Writes the comma and white space that separate a value or key from the one before it.
void JsonWriter::separate() {
  if (has_key_) {
    has_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!is_first_) text_ += ',';
  new_line();
  is_first_ = false;
}

void JsonWriter::new_line() {
  if (is_indented_) text_.append(1, '\n').append(static_cast<std::size_t>(2 * depth_), ' ');
}

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const auto [size, is_character] = base::first_utf8_part(text);
    if (!is_character)
      text_ += "\xef\xbf\xbd";
    else if (size == 1)
      append_escaped(text_, text[0]);
    else
      text_ += text.substr(0, size);
    text.remove_prefix(size);
  }
  text_ += '"';
}

}  // namespace kann::cli
