#include "products/picture/classes.hpp"

#include <algorithm>
#include <cmath>

namespace kann::picture {

void ClassCollector::add(std::span<const float> values) {
  if (are_too_many_) return;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const auto place = std::ranges::lower_bound(values_, value);
    if (place != values_.end() && *place == value) continue;
    if (values_.size() == k_most_classes) {
      are_too_many_ = true;
      return;
    }
    values_.insert(place, value);
  }
}

}  // namespace kann::picture
