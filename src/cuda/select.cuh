// What both ways of selecting share: a query, and the key of a candidate seen from it.
#pragma once

#include "cuda/select.hpp"

namespace kann::cuda {

/// Query `i` of the order that queries are taken in.
struct QueryPoint {
  float x, y, z;
  std::int64_t dropped;  ///< index of the point that is the query itself, or −1

  __device__ QueryPoint(const Candidates& c, std::int64_t i) {
    const std::int64_t query = c.d_query_order[i];
    const float* point = c.d_queries + query * c.dimensions;
    x = point[0];
    y = point[1];
    z = c.dimensions == 3 ? point[2] : 0.0f;
    dropped = c.drop_self ? query : -1;
  }

  /// The key of a data point as this query's neighbour; k_absent for the query itself.
  __device__ NeighborKey key_of(const PlacedPoint& p) const {
    if (p.index == dropped) return k_absent;
    return neighbor_key(sq_distance_3d(x - p.x, y - p.y, z - p.z), p.index);
  }
};

/// The two ways of select(), by list size.
void select_in_registers(const Candidates&, std::int64_t list_size, bool first, NeighborKey* d_kept, cudaStream_t);
void select_in_blocks(const Candidates&, std::int64_t list_size, bool first, NeighborKey* d_kept, cudaStream_t);

}  // namespace kann::cuda
