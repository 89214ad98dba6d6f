// Writes JSON, one value after the other, into a string.
//
// nlohmann-json is not used: it builds a tree whose destructor allocates, and crashes when memory runs out while the
// tree is built.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kann::cli {

/// Usage: begin_object(); member("k", 8); key("data"); begin_object(); …; end_object(); end_object(); text().
/// If an allocation throws, the writer may be destroyed and nothing else.
class JsonWriter {
 public:
  enum class Style { indented, compact };  ///< indented by two columns per level; without white space
  explicit JsonWriter(Style style) : is_indented_(style == Style::indented) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  /// Writes the key of the value that follows.
  void key(std::string_view key);

  /// Writes text; bytes that are not UTF-8 (in a file name, for example) become U+FFFD.
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool value) { literal(value ? "true" : "false"); }
  void value(std::int64_t number);
  void value(std::uint64_t number);
  void value(int number) { value(static_cast<std::int64_t>(number)); }
  /// Writes the shortest decimal that reads back as the same double, with a point or an exponent; null if the number is
  /// not finite.
  void value(double number);
  void null() { literal("null"); }

  /// Writes a key and its value; null for an optional that is empty.
  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    if constexpr (requires { content.has_value(); })
      content ? value(*content) : null();
    else
      value(content);
  }
  void null_member(std::string_view name) {
    key(name);
    null();
  }

  const std::string& text() const { return text_; }

 private:
  void begin(char bracket);
  void end(char bracket);
  void literal(std::string_view text);
  void separate();
  void new_line();
  void quote(std::string_view text);

  bool is_indented_;
  std::string text_;
  int depth_ = 0;
  bool has_key_ = false;  ///< a key waits for its value
  bool is_first_ = true;  ///< no value is in the current object or array yet
};

}  // namespace kann::cli
