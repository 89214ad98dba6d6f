#include "cli/json/json_object.hpp"

#include <algorithm>

namespace kann::cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Each function removes what it is named after from the front of the text, and returns false if it is not there.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool document(JsonMembers& members) {
    space();
    return object(&members, 1) && (space(), rest_.empty());
  }

 private:
  static constexpr int k_max_depth = 64;

  void space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool character(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool digits() {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) ++count;
    rest_.remove_prefix(count);
    return count > 0;
  }

  bool number() {
    character('-');
    if (!character('0') && !digits()) return false;
    if (character('.') && !digits()) return false;
    if (!character('e') && !character('E')) return true;
    if (!character('+')) character('-');
    return digits();
  }

  bool string() {
    if (!character('"')) return false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (static_cast<unsigned char>(rest_[i]) < 0x20) return false;
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  bool value(int depth) {
    if (depth > k_max_depth || rest_.empty()) return false;
    switch (rest_.front()) {
      case '{':
        return object(nullptr, depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool array(int depth) {
    if (!character('[')) return false;
    space();
    if (character(']')) return true;
    do {
      space();
      if (!value(depth + 1)) return false;
      space();
    } while (character(','));
    return character(']');
  }

  /// Appends the members to `members`, if that is not null.
  bool object(JsonMembers* members, int depth) {
    if (!character('{')) return false;
    space();
    if (character('}')) return true;
    do {
      space();
      const std::string_view key = rest_;
      if (!string()) return false;
      const std::size_t key_size = key.size() - rest_.size();
      space();
      if (!character(':')) return false;
      space();
      const std::string_view content = rest_;
      if (!value(depth + 1)) return false;
      if (members) members->emplace_back(key.substr(1, key_size - 2), content.substr(0, content.size() - rest_.size()));
      space();
    } while (character(','));
    return character('}');
  }

  std::string_view rest_;
};

}  // namespace

std::optional<JsonMembers> read_json_object(std::string_view text) {
  JsonMembers members;
  if (!Reader(text).document(members)) return std::nullopt;
  return members;
}

}  // namespace kann::cli
