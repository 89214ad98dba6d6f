// Searches among the data of the group of each query, such as those of one cloud of a batch. Data are in the order of
// their groups and, in each, of the curve: so one tree has all of them, and each query sees some of its places.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kann/device_index.hpp"

#include "cuda/exact/index.hpp"
#include "cuda/order/curve_order.hpp"
#include "cuda/order/device_points.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// The groups of the data, by rows of the input.
struct PointGroups {
  /// @throws Error usage: the numbers are 2³⁹ apart or more.
  PointGroups(const DeviceGroups& numbers, const NumberRange& range);

  DeviceGroups numbers;
  std::int64_t least;                          ///< number
  std::uint64_t outside;                       ///< what the largest number is less than, counted from the least
  const std::int32_t* d_input_rows = nullptr;  ///< the row in the input of each point; null: its own number
};

/// The data of a context in the order of their groups. Queued.
std::shared_ptr<const CurveOrder> order_in_groups(SearchContext& context, const PointGroups& groups);

/// Queues the search of lists of all within a radius, or of rows of up to 64 neighbours.
/// @param index of order_in_groups() @param queries their groups, if they are not the data
template <class Real>
void search_in_groups(SearchContext& context, const Index<Real>& index, const PointGroups& data,
                      const std::optional<DeviceGroups>& queries);

}  // namespace kann::cuda::exact
