// Points of a cloud that are searched together, in the order of their rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kann/points.hpp"

namespace kann::detail {

struct Slice {
  std::vector<std::int32_t> rows;  ///< in the cloud, ascending, so that equally near points keep their order
  Points points;

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
};

/// The points of these rows.
Slice slice_of(const PointsView& cloud, std::vector<std::int32_t> rows);

/// The rows of each group: those of `labels` that are `order`[0], `order`[1], …. Invalid points belong to no group.
std::vector<std::vector<std::int32_t>> rows_by_group(const PointsView& cloud, std::span<const std::int64_t> labels,
                                                     std::span<const std::int64_t> order);

/// All labels that are not negative, ascending, each once.
std::vector<std::int64_t> labels_of(std::span<const std::int64_t> data, std::span<const std::int64_t> queries);

}  // namespace kann::detail
