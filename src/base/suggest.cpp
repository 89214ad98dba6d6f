#include "base/suggest.hpp"

#include <algorithm>
#include <vector>

namespace kann::base {

int edit_distance(std::string_view a, std::string_view b) {
  // Rows i − 2, i − 1 and i of the table of distances between prefixes of a and b.
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known) {
  if (typed.size() < 2) return {};
  const auto extends = [&](std::string_view name) { return name.starts_with(typed); };
  if (const auto found = std::ranges::find_if(known, extends); found != known.end()) return *found;

  std::string_view nearest;
  int best = static_cast<int>(std::max<std::size_t>(1, typed.size() / 3)) + 1;
  for (const std::string_view name : known) {
    // The difference of the lengths is a lower bound of the distance, so a very long text is rejected at once.
    if (typed.size() > name.size() + static_cast<std::size_t>(best)) continue;
    if (const int distance = edit_distance(typed, name); distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace kann::base
