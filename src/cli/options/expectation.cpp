#include "cli/options/expectation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace kann::cli {
namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The words that a name can have as its value; those of other names are numbers.
std::vector<std::string_view> words_for(std::string_view name) {
  if (name == "method") return {"exact", "shifted-sort"};
  if (name == "include-self" || name == "periodic") return {"yes", "no"};
  if (name == "radius") return {"none"};
  return {};
}

constexpr std::array k_properties = {
    std::string_view("k"),          std::string_view("radius"),       std::string_view("method"),
    std::string_view("dimensions"), std::string_view("periodic"),     std::string_view("points"),
    std::string_view("queries"),    std::string_view("include-self"), std::string_view("judged")};

bool can_be(const Expectation& e) {
  const std::vector<std::string_view> words = words_for(e.name);
  if (std::ranges::count(words, e.value) > 0) return true;
  if (words.size() > 1) return false;
  const auto number = number_of(e.value);
  return number && *number >= 0 && (e.name != "judged" || *number <= 1);
}

}  // namespace

std::vector<Expectation> expectations(const Given& given) {
  std::vector<Expectation> all;
  for (const std::string& part : names(given)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    Expectation e{part.substr(0, equals), part.substr(std::min(equals + 1, part.size()))};
    if (std::ranges::count(k_properties, e.name) == 0)
      refuse(given, "NAME=VALUE[,...] with the names " + std::string(k_expected_names));
    if (!can_be(e))
      refuse(given, e.name == "method"         ? "method=exact or method=shifted-sort"
                    : e.name == "include-self" ? "include-self=yes or include-self=no"
                    : e.name == "periodic"     ? "periodic=yes or periodic=no"
                    : e.name == "radius"       ? "a number of at least 0 or none for radius"
                    : e.name == "judged"       ? "a number from 0 to 1 for judged"
                                               : "a number of at least 0 for " + e.name);
    all.push_back(std::move(e));
  }
  return all;
}

bool is_met(const Expectation& expected, std::string_view value) {
  const auto a = number_of(expected.value), b = number_of(value);
  if (!a || !b) return expected.value == value;
  return expected.name == "judged" ? *b >= *a : *a == *b;
}

}  // namespace kann::cli
