#include "picture/classes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kann::picture {

std::optional<Classes> classes_of(std::span<const float> values) {
  Classes found;
  std::vector<float>& classes = found.values;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const auto place = std::ranges::lower_bound(classes, value);
    if (place != classes.end() && *place == value) continue;
    if (classes.size() == k_most_classes) return std::nullopt;
    classes.insert(place, value);
  }
  if (classes.empty()) return std::nullopt;
  found.numbers.reserve(values.size());
  for (const float value : values)
    found.numbers.push_back(std::isfinite(value)
                                ? static_cast<float>(std::ranges::lower_bound(classes, value) - classes.begin())
                                : std::numeric_limits<float>::quiet_NaN());
  return found;
}

}  // namespace kann::picture
