// feature_of() and feature_columns() of kann/features.hpp.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/features.hpp"

namespace kann {
namespace {

/// The words of k_features.
std::vector<std::string_view> feature_names() {
  std::vector<std::string_view> names;
  for (std::string_view rest = k_features; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(", "));
    if (!word.empty() && word != "or") names.push_back(word);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return names;
}

}  // namespace

std::optional<Feature> feature_of(std::string_view name) {
  const std::vector<std::string_view> names = feature_names();
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Feature>(found - names.begin()));
}

std::vector<Attribute> feature_columns(std::span<const Feature> features) {
  const std::vector<std::string_view> names = feature_names();
  std::vector<Attribute> columns;
  for (const Feature feature : features) {
    const std::string name(names[static_cast<std::size_t>(feature)]);
    if (feature == Feature::normals)
      for (const auto& [axis, meaning] : {std::pair{"nx", Meaning::nx}, {"ny", Meaning::ny}, {"nz", Meaning::nz}})
        columns.push_back({axis, Array<float>(), meaning});
    else if (feature == Feature::omnivariance || feature == Feature::density)
      columns.push_back({name, Array<double>(), Meaning::found});
    else
      columns.push_back({name, Array<float>(), Meaning::found});
  }
  return columns;
}

}  // namespace kann
