// Searches among the points of the group of each query, such as those of one cloud of a batch.
#pragma once

#include <cstdint>

#include "cuda/exact/data_indexes.hpp"
#include "cuda/runtime/search_context.hpp"
#include "geometry/host_device.hpp"

namespace kann::cuda::exact {

/// The numbers of the groups of some points, in memory of the device.
struct PointGroups {
  const std::int32_t* d_groups;      ///< by rows of the input
  const std::int32_t* d_input_rows;  ///< the row in the input of each point; null: its own number

  KANN_HOST_DEVICE std::int32_t of(std::uint32_t point) const {
    return d_groups[d_input_rows ? d_input_rows[point] : point];
  }
};

/// As queue_exact(), among the data of the group of each query, with lists of up to 64 neighbours. Data are in the
/// order of their groups and, in each, of the curve; so a group has a range of places in one tree over all.
void queue_in_groups(SearchContext& context, DataIndexes& kept, const PointGroups& data, const PointGroups& queries);

}  // namespace kann::cuda::exact
