#include "search/periodic/lowest_bit.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "base/parallel.hpp"

namespace kann::detail {

int lowest_bit(const PointsView& points, int axis, int threads) {
  std::vector<int> lowest(static_cast<std::size_t>(threads), std::numeric_limits<int>::max());
  std::visit(
      [&](const auto& c) {
        base::parallel_blocks(points.size(), threads, [&](int block, std::int64_t begin, std::int64_t end) {
          int low = std::numeric_limits<int>::max();
          for (std::int64_t i = begin; i < end; ++i) {
            const auto x = static_cast<double>(c[static_cast<std::size_t>(i * points.dimensions + axis)]);
            if (std::isfinite(x)) low = std::min(low, lowest_bit(x));
          }
          lowest[block] = low;
        });
      },
      points.coordinates);
  return *std::ranges::min_element(lowest);
}

}  // namespace kann::detail
