#include "formats/table/coordinate_system.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "base/letter_case.hpp"

namespace kann::formats {
namespace {

/// The words with which a coordinate system in WKT begins.
constexpr std::array<std::string_view, 11> k_begins = {"PROJCS",   "PROJCRS", "GEOGCS",   "GEOGCRS",
                                                       "GEODCRS",  "GEOCCS",  "COMPD_CS", "COMPOUNDCRS",
                                                       "LOCAL_CS", "ENGCRS",  "BOUNDCRS"};

/// Those of them whose coordinates are lengths.
constexpr std::array<std::string_view, 5> k_plane = {"PROJCS", "PROJCRS", "GEOCCS", "LOCAL_CS", "ENGCRS"};

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
    std::vector<std::string_view> open;  // the words of the brackets around this place
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '"') {
        const std::size_t end = std::min(text_.find('"', at + 1), text_.size());
        if (!has_name) system.name = text_.substr(at + 1, end - at - 1);
        has_name = true;
        at = end;
      } else if (c == '[' || c == '(') {
        const auto epsg = epsg_at(at);
        // A compound system without a number has that of its horizontal one
        const bool is_horizontal = open.size() == 2 && open[0].starts_with("COMP") && !open[1].starts_with("VERT");
        if (epsg && (open.size() == 1 || (is_horizontal && !system.epsg))) system.epsg = epsg;
        const std::string_view word = word_before(at);
        const bool is_unit = word == "UNIT" || word == "LENGTHUNIT";
        if (is_unit && !system.metres && std::ranges::count(k_plane, open.back()) > 0) system.metres = factor_at(at);
        open.push_back(word == "AXIS" ? open.back() : word);  // the unit of an axis is that of its system
      } else if (c == ']' || c == ')') {
        if (open.size() <= 1) break;
        open.pop_back();
      }
    }
    return system;
  }

 private:
  std::string_view word_before(std::size_t bracket) const {
    std::size_t word = bracket;
    while (word > 0 && is_letter(text_[word - 1])) --word;
    return text_.substr(word, bracket - word);
  }

  /// The factor of UNIT["name",factor], whose bracket is at this place.
  std::optional<double> factor_at(std::size_t bracket) const {
    const std::size_t comma = text_.find(',', text_.find('"', bracket + 2));
    const std::size_t begin = text_.find_first_not_of(", ", comma);
    if (begin == text_.npos) return std::nullopt;
    double factor = 0;
    std::from_chars(text_.data() + begin, text_.data() + text_.size(), factor);
    return factor > 0 && std::isfinite(factor) ? std::optional(factor) : std::nullopt;
  }

  /// The number of AUTHORITY["EPSG","n"] or ID["EPSG",n], whose bracket is at this place.
  std::optional<int> epsg_at(std::size_t bracket) const {
    const std::string_view name = word_before(bracket);
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

std::string system_text(const std::optional<CoordinateSystem>& system) {
  if (!system || !system->epsg) return system ? system->name : "";
  const std::string number = "EPSG:" + std::to_string(*system->epsg);
  return system->name.empty() ? number : system->name + " (" + number + ")";
}

std::string unit_of(const std::optional<CoordinateSystem>& system) {
  if (!system || !system->metres) return "";
  constexpr double rounded = 1e-7;  // files have few digits; the two feet differ by two in a million
  constexpr std::pair<double, std::string_view> units[] = {{1, "m"}, {k_foot, "ft"}, {k_us_foot, "US ft"}};
  for (const auto& [metres, name] : units)
    if (std::abs(*system->metres / metres - 1) < rounded) return std::string(name);
  return fmt::format("units of {:.7g} m", *system->metres);
}

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
