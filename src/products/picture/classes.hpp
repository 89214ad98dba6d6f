// Values that are classes: there are few different ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kann/render.hpp"

#include "products/picture/legend.hpp"

namespace kann::picture {

/// If there are more classes than this, they are drawn as values.
inline constexpr std::size_t k_most_classes = 12;

/// The different finite values of a cloud, ascending, and how many points have each; the first k_most_classes that come
/// if there are too many.
struct ClassCounts {
  std::vector<float> values;
  std::vector<std::int64_t> counts;
  bool are_too_many = false;

  /// Takes the values of the next block. After too many different ones, it does nothing.
  void add(std::span<const float> block);
};

/// How classes are shown, in the order of their values.
struct ClassColors {
  std::vector<ClassEntry> entries;
  std::array<Color, k_colors> map = {};  ///< by their numbers
  std::optional<float> marked;           ///< the class whose points are marks
  std::int64_t marks = 0;                ///< how many it has
  Color mark_color = 0;
  bool marks_are_behind = false;
};

ClassColors class_colors(const ClassCounts& classes, const RenderOptions& options);

}  // namespace kann::picture
