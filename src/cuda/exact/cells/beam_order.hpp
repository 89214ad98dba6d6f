// The order of queries for TeamSearch. A beam is two rows of cells wide along y and along z, and runs along x. Queries
// that follow each other are next to each other along a beam, or at the ends of two neighbouring beams.
#pragma once

#include <cstdint>
#include <functional>

#include "cuda/exact/cell_order.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// The numbers of the queries among the points of `source`, sorted by beam and, within a beam, by place along x; every
/// other beam is sorted backwards. Allocates 16 bytes per query, 12 of them until it returns. Queued.
Buffer<std::uint32_t> order_in_beams(SearchContext& context, const PointSource& source, const CellGrid& grid);

/// What a sample of the queries, in the order of beams, tells about all of them.
struct BeamSample {
  float share_outside;  ///< the share of queries that are outside of the box of the data
  float share_far;      ///< the share of those that are outside by more than half of the radius of a ball
  float share_large;    ///< the share of teams of 32 queries that stage more than CellGrid::staged points
  float share_apart;    ///< the share of those whose balls meet too many cells to be teams
};

/// Looks at teams that are spread over the order, and expects the mean density of the data in the cells that their
/// balls meet. Blocks until it has, but not until work is done that meanwhile() queues.
BeamSample sample_beams(SearchContext& context, const PointSequence& queries, const CellGrid& grid,
                        const std::function<void()>& meanwhile);

}  // namespace kann::cuda::exact
