// Values that are classes: few different ones.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace kann::picture {

/// More classes than these are drawn as values.
inline constexpr std::size_t k_most_classes = 12;

struct Classes {
  std::vector<float> values;   ///< the different ones, ascending
  std::vector<float> numbers;  ///< of each point, from 0; NaN where its value is not finite
};

/// Nothing if there are more than k_most_classes, or none.
std::optional<Classes> classes_of(std::span<const float> values);

}  // namespace kann::picture
