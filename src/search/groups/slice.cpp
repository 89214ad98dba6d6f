#include "search/groups/slice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace kann::detail {

Slice slice_of(const PointsView& cloud, std::vector<std::int32_t> rows) {
  const auto d = static_cast<std::size_t>(cloud.dimensions);
  Slice slice{std::move(rows), {cloud.dimensions, {}}};
  std::visit(
      [&]<class T>(std::span<const T> coordinates) {
        Array<T> taken(slice.rows.size() * d);
        for (std::size_t i = 0; i < slice.rows.size(); ++i)
          std::copy_n(coordinates.data() + static_cast<std::size_t>(slice.rows[i]) * d, d, taken.data() + i * d);
        slice.points.coordinates = std::move(taken);
      },
      cloud.coordinates);
  return slice;
}

std::vector<std::vector<std::int32_t>> rows_by_group(const PointsView& cloud, std::span<const std::int64_t> labels,
                                                     std::span<const std::int64_t> order) {
  std::vector<std::vector<std::int32_t>> groups(order.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    if (labels[i] < 0 || !cloud.is_finite(row)) continue;
    const auto place = std::ranges::lower_bound(order, labels[i]) - order.begin();
    groups[static_cast<std::size_t>(place)].push_back(static_cast<std::int32_t>(row));
  }
  return groups;
}

std::vector<std::int64_t> labels_of(std::span<const std::int64_t> data, std::span<const std::int64_t> queries) {
  std::vector<std::int64_t> labels(data.begin(), data.end());
  labels.insert(labels.end(), queries.begin(), queries.end());
  std::erase_if(labels, [](std::int64_t label) { return label < 0; });
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

}  // namespace kann::detail
