// Clusters of a cloud that does not fit in memory, or by several ranks.
//
// As for lists of neighbours (lists_in_tiles.hpp), each point is sent to all tiles that its ball reaches. So a tile has
// all neighbours of its own points. It marks its core points; once those of all tiles are known, it unites them with
// each other and with those around it. The sets of all points are in memory, 8 bytes each, on every rank: clusters grow
// over the borders of tiles by themselves, and rank 0 puts together the sets of all ranks at the end.
#pragma once

#include <cstdint>

#include "kann/array.hpp"
#include "kann/clusters.hpp"

#include "base/memory_budget.hpp"
#include "flow/file_search_report.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/placed_clouds.hpp"

namespace kann::flow {

struct FileClusters {
  base::MemoryCharge charge;
  Array<std::int64_t> labels;  ///< as ClusterResult::labels; on rank 0
  ClusterCounts counts;        ///< on all ranks
  FileSearchReport report;
};

/// Clusters of the data as kann::cluster() finds them, by the radius of the options, whose memory must outlive the
/// result. All ranks call it; it blocks.
/// @throws Error bad_input, resources; and as Communicator::exchange().
FileClusters clusters_in_tiles(const PlacedClouds& clouds, std::int64_t min_points, Communicator& ranks);

}  // namespace kann::flow
