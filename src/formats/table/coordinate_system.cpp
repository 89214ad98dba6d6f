#include "formats/table/coordinate_system.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/letter_case.hpp"

namespace kann::formats {
namespace {

/// The words with which a coordinate system in WKT begins.
constexpr std::array<std::string_view, 11> k_begins = {"PROJCS",   "PROJCRS", "GEOGCS",   "GEOGCRS",
                                                       "GEODCRS",  "GEOCCS",  "COMPD_CS", "COMPOUNDCRS",
                                                       "LOCAL_CS", "ENGCRS",  "BOUNDCRS"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The number at the beginning of the text, in quotes or not.
std::optional<int> leading_number(std::string_view text) {
  if (text.starts_with('"')) text.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number > 0 ? std::optional(number) : std::nullopt;
}

/// Passes over WKT, a bracket, a quoted text or another character at a time.
class WktScanner {
 public:
  explicit WktScanner(std::string_view text) : text_(text) {}

  CoordinateSystem scan() {
    CoordinateSystem system;
    bool has_name = false;
    int depth = 0;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '"') {
        const std::size_t end = std::min(text_.find('"', at + 1), text_.size());
        if (!has_name) system.name = text_.substr(at + 1, end - at - 1);
        has_name = true;
        at = end;
      } else if (c == '[' || c == '(') {
        if (depth == 1 && !system.epsg) system.epsg = epsg_at(at);
        ++depth;
      } else if (c == ']' || c == ')') {
        if (--depth == 0) break;
      }
    }
    return system;
  }

 private:
  /// The number of AUTHORITY["EPSG","n"] or ID["EPSG",n], whose bracket is at this place.
  std::optional<int> epsg_at(std::size_t bracket) const {
    std::size_t word = bracket;
    while (word > 0 && is_letter(text_[word - 1])) --word;
    const std::string_view name = text_.substr(word, bracket - word);
    constexpr std::string_view begin = "\"EPSG\"";
    const std::string_view rest = text_.substr(bracket + 1);
    if ((name != "AUTHORITY" && name != "ID") || !rest.starts_with(begin)) return std::nullopt;
    const std::size_t digits = rest.find_first_not_of(", ", begin.size());
    return digits == rest.npos ? std::nullopt : leading_number(rest.substr(digits));
  }

  const std::string_view text_;
};

/// Where a word of k_begins, with its bracket, stands in the text; npos if none does.
std::size_t wkt_begin(std::string_view text) {
  for (std::size_t bracket = 0; (bracket = text.find('[', bracket)) != text.npos; ++bracket)
    for (const std::string_view word : k_begins)
      if (text.substr(0, bracket).ends_with(word) &&
          (bracket == word.size() || !is_letter(text[bracket - word.size() - 1])))
        return bracket - word.size();
  return text.npos;
}

}  // namespace

std::optional<CoordinateSystem> system_of_wkt(std::string_view text) {
  if (wkt_begin(text.substr(0, text.find('[') + 1)) != 0) return std::nullopt;
  return WktScanner(text).scan();
}

std::optional<CoordinateSystem> system_of_comment(std::string_view comment) {
  if (const std::size_t begin = wkt_begin(comment); begin != comment.npos) return system_of_wkt(comment.substr(begin));
  constexpr std::string_view word = "epsg";
  for (std::size_t at = 0; at + word.size() < comment.size(); ++at) {
    if (!base::equal_in_any_case(comment.substr(at, word.size()), word)) continue;
    const std::size_t number = comment.find_first_not_of(": =", at + word.size());
    if (number == at + word.size() || number == comment.npos || !is_digit(comment[number])) continue;
    if (const auto epsg = leading_number(comment.substr(number))) return CoordinateSystem{"", epsg};
  }
  return std::nullopt;
}

}  // namespace kann::formats
