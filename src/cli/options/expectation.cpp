#include "cli/options/expectation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

namespace kann::cli {
namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A property that --expect can name.
struct Property {
  std::string_view name;
  std::string_view allowed;                   ///< the allowed values, for messages
  std::span<const std::string_view> words{};  ///< words that it can have as its value
  bool has_numbers = true;
  double most = std::numeric_limits<double>::infinity();
};

constexpr std::array k_searches = {std::string_view("exact"), std::string_view("shifted-sort"),
                                   std::string_view("paper")};
constexpr std::array k_yes_or_no = {std::string_view("yes"), std::string_view("no")};
constexpr std::array k_sky_words = {std::string_view("no"),  std::string_view("arcsec"), std::string_view("arcmin"),
                                    std::string_view("deg"), std::string_view("m"),      std::string_view("km")};
constexpr std::array k_radius_words = {std::string_view("none")};

constexpr std::array k_properties = {
    Property{"k", "a number of at least 0 for k"},
    Property{"radius", "a number of at least 0 or none for radius", k_radius_words},
    Property{"method", "method=exact, method=shifted-sort or method=paper", k_searches, false},
    Property{"dimensions", "a number of at least 0 for dimensions"},
    Property{"periodic", "periodic=yes or periodic=no", k_yes_or_no, false},
    Property{"sky", "sky=no or a unit (arcsec, arcmin, deg, m or km) for sky", k_sky_words, false},
    Property{"points", "a number of at least 0 for points"},
    Property{"queries", "a number of at least 0 for queries"},
    Property{"include-self", "include-self=yes or include-self=no", k_yes_or_no, false},
    Property{"judged", "a number from 0 to 1 for judged", {}, true, 1}};

bool can_be(const Property& property, std::string_view value) {
  if (std::ranges::count(property.words, value) > 0) return true;
  const auto number = number_of(value);
  return property.has_numbers && number && *number >= 0 && *number <= property.most;
}

/// "k, radius, … or judged"
std::string names_of_properties() {
  std::string names;
  for (const Property& property : k_properties)
    names += (names.empty() ? "" : &property == &k_properties.back() ? " or " : ", ") + std::string(property.name);
  return names;
}

}  // namespace

std::vector<Expectation> expectations(const Given& given) {
  std::vector<Expectation> all;
  for (const std::string& part : names(given)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    Expectation e{part.substr(0, equals), part.substr(std::min(equals + 1, part.size()))};
    const auto property = std::ranges::find(k_properties, std::string_view(e.name), &Property::name);
    if (property == k_properties.end()) refuse(given, "NAME=VALUE[,...] with the names " + names_of_properties());
    if (!can_be(*property, e.value)) refuse(given, property->allowed);
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
