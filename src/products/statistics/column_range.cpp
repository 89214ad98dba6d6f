#include "products/statistics/column_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kann::statistics {
namespace {

/// How values of type T are held.
template <class T>
using Held = std::conditional_t<std::is_floating_point_v<T>, double,
                                std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>;

template <class T>
void add_to(ColumnRange& range, const Array<T>& values, std::optional<double> no_data) {
  T least = std::numeric_limits<T>::max(), greatest = std::numeric_limits<T>::lowest();
  std::int64_t finite = 0;
  for (const T value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) continue;
    } else {
      if (no_data && static_cast<double>(value) == *no_data) continue;
    }
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    ++finite;
  }
  range.others += static_cast<std::int64_t>(values.size()) - finite;
  if (finite == 0) return;
  const Held<T> low = least, high = greatest;
  range.minimum = range.finite == 0 ? low : std::min(low, std::get<Held<T>>(range.minimum));
  range.maximum = range.finite == 0 ? high : std::max(high, std::get<Held<T>>(range.maximum));
  range.finite += finite;
}

}  // namespace

void ColumnRange::add(const AttributeValues& values, std::optional<double> no_data) {
  std::visit([&](const auto& all) { add_to(*this, all, no_data); }, values);
}

}  // namespace kann::statistics
