// Values that are classes: there are few different ones.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace kann::picture {

/// If there are more classes than this, they are drawn as values.
inline constexpr std::size_t k_most_classes = 12;

struct Classes {
  std::vector<float> values;   ///< the different ones, ascending
  std::vector<float> numbers;  ///< the class number of each point, from 0; NaN if its value is not finite
};

/// The classes among `values`; nothing if there are more than k_most_classes, or none.
std::optional<Classes> classes_of(std::span<const float> values);

}  // namespace kann::picture
