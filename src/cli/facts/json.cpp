#include <charconv>
#include <cmath>

#include "base/utf8.hpp"
#include "cli/facts/facts.hpp"

namespace kann::cli {
namespace {

class Writer {
 public:
  explicit Writer(bool is_indented) : is_indented_(is_indented) {}

  std::string take() { return std::move(out_) + "\n"; }

  void value(const Value& given) {
    std::visit([&](const auto& one) { write(one); }, static_cast<const Value::Variant&>(given));
  }

 private:
  void write(std::monostate) { out_ += "null"; }
  void write(bool truth) { out_ += truth ? "true" : "false"; }
  void write(std::int64_t number) { out_ += std::to_string(number); }
  void write(std::uint64_t number) { out_ += std::to_string(number); }

  /// The shortest decimal that reads back as the same double, with a point or an exponent.
  void write(double number) {
    if (!std::isfinite(number)) return write(std::monostate());
    char digits[32];
    const std::string_view text(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    out_ += text;
    if (text.find_first_of(".e") == text.npos) out_ += ".0";
  }

  void write(const std::string& given) {
    out_ += '"';
    for (std::string_view text = given; !text.empty();) {
      const auto [size, is_character] = base::first_utf8_part(text);
      if (!is_character)
        out_ += "\xef\xbf\xbd";
      else if (size == 1)
        escaped(text[0]);
      else
        out_ += text.substr(0, size);
      text.remove_prefix(size);
    }
    out_ += '"';
  }

  template <class T>
  void write(const std::vector<T>& values) {
    list('[', ']', values, [&](const T& one) { write(one); });
  }
  void write(const Table& table) { write(table.rows); }
  void write(const Facts& facts) {
    list('{', '}', facts, [&](const Fact& fact) {
      write(std::string(fact.key));
      out_ += is_indented_ ? ": " : ":";
      value(fact.value);
    });
  }

  template <class T, class Write>
  void list(char opening, char closing, const std::vector<T>& all, Write write) {
    out_ += opening;
    ++depth_;
    bool is_first = true;
    for (const T& one : all) {
      if constexpr (std::same_as<T, Fact>)
        if (one.key.empty()) continue;
      if (!std::exchange(is_first, false)) out_ += ',';
      new_line();
      write(one);
    }
    --depth_;
    if (!is_first) new_line();
    out_ += closing;
  }

  void new_line() {
    if (is_indented_) out_.append(1, '\n').append(2 * depth_, ' ');
  }

  void escaped(char c) {
    constexpr char digits[] = "0123456789abcdef";
    constexpr std::string_view letters = "\b\t\n\f\r\"\\", names = "btnfr\"\\";
    if (const std::size_t letter = letters.find(c); letter != letters.npos)
      out_.append(1, '\\').append(1, names[letter]);
    else if (static_cast<unsigned char>(c) < 0x20)
      out_.append("\\u00").append(1, digits[c >> 4]).append(1, digits[c & 15]);
    else
      out_ += c;
  }

  const bool is_indented_;
  std::string out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string json(const Facts& facts, bool is_indented) {
  Writer writer(is_indented);
  writer.value(facts);
  return writer.take();
}

}  // namespace kann::cli
