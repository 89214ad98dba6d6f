#include "products/picture/classes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "products/picture/color_map.hpp"

namespace kann::picture {
namespace {

/// A number with commas: 486,679.
std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::ptrdiff_t place = std::ssize(text) - 3; place > 0; place -= 3) text.insert(text.begin() + place, ',');
  return text;
}

}  // namespace

void ClassCounts::add(std::span<const float> block) {
  if (are_too_many) return;
  for (const float value : block) {
    if (!std::isfinite(value)) continue;
    const auto place = std::ranges::lower_bound(values, value);
    const auto count = counts.begin() + (place - values.begin());
    if (place != values.end() && *place == value) {
      ++*count;
      continue;
    }
    if (values.size() == k_most_classes) {
      are_too_many = true;
      return;
    }
    values.insert(place, value);
    counts.insert(count, 1);
  }
}

ClassColors class_colors(const ClassCounts& classes, const RenderOptions& options) {
  ClassColors out;
  std::vector<std::size_t> of_map;
  for (std::size_t i = 0; i < classes.values.size(); ++i) {
    const float value = classes.values[i];
    const auto look = std::ranges::find(options.class_looks, value, &ClassLook::value);
    const bool has_look = look != options.class_looks.end();
    const std::string name = has_look              ? look->name
                             : options.offset == 0 ? fmt::format("{}", value)
                                                   : fmt::format("{}", options.offset + static_cast<double>(value));
    out.entries.push_back({name, with_commas(classes.counts[i]), has_look ? look->color.value_or(0) : 0});
    if (!has_look || !look->color) of_map.push_back(i);
    if (!has_look || look->place == ClassPlace::among) continue;
    out.marked = value;
    out.marks = classes.counts[i];
    out.mark_color = out.entries.back().color;
    out.marks_are_behind = look->place == ClassPlace::behind;
  }
  const double step = of_map.size() > 1 ? (k_colors - 1) / (static_cast<double>(of_map.size()) - 1) : 0;
  for (std::size_t j = 0; j < of_map.size(); ++j)
    out.entries[of_map[j]].color = color_map()[static_cast<std::size_t>(static_cast<double>(j) * step)];
  std::ranges::transform(out.entries, out.map.begin(), &ClassEntry::color);
  return out;
}

}  // namespace kann::picture
