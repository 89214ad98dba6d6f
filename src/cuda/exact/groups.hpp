// Searches among the data of the group of each query, such as those of one cloud of a batch.
#pragma once

#include <cstdint>

#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// The numbers of the groups of some points, in memory of the device.
struct PointGroups {
  const std::int32_t* d_groups;      ///< by rows of the input
  const std::int32_t* d_input_rows;  ///< the row in the input of each point; null: its own number
};

/// As queue_exact(), among the data of the group of each query: lists of all within a radius, or rows of up to 64
/// neighbours. Data are in the order of their groups and, in each, of the curve: so one tree has all of them, and each
/// query sees some of its places. The order is made for this search alone. Does not block.
void queue_in_groups(SearchContext& context, const PointGroups& data, const PointGroups& queries);

}  // namespace kann::cuda::exact
