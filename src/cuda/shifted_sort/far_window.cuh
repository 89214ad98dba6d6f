// The far window of a query that stands off the data (is_far), searched by the 32 lanes of its warp together. Most
// warps have few such queries; searched by its own lane, each would make the other 31 wait for 500 candidates.
#pragma once

#include "cuda/runtime/names.hpp"
#include "cuda/thread/nearest_list.cuh"
#include "cuda/thread/query.cuh"
#include "cuda/warp/lane.cuh"
#include "geometry/window.hpp"

namespace kann::cuda {

/// The query of lane `source`, except its row. Called by all 32 lanes; valid in all.
__device__ __forceinline__ thread::Query shuffle(thread::Query q, int source) {
  q.x = __shfl_sync(warp::k_all_lanes, q.x, source);
  q.y = __shfl_sync(warp::k_all_lanes, q.y, source);
  q.z = __shfl_sync(warp::k_all_lanes, q.z, source);
  q.dropped = __shfl_sync(warp::k_all_lanes, q.dropped, source);
  return q;
}

/// Inserts the candidates of lane `owner`'s `window` into the owner's list. row_of(index) is the row of a point of the
/// order. Called by all 32 lanes; only the owner's `window`, `query` and `list` are used.
template <int K, class RowOf>
__device__ void merge_far_window(const PlacedPoint* d_data, const Window& window, const thread::Query& query, int owner,
                                 RowOf row_of, thread::NearestList<K>& list) {
  const thread::Query far = shuffle(query, owner);
  const std::int64_t begin = __shfl_sync(warp::k_all_lanes, window.begin, owner);
  const std::int64_t end = __shfl_sync(warp::k_all_lanes, window.end, owner);
  for (std::int64_t first = begin; first < end; first += warp::k_lanes) {
    const float bound = __shfl_sync(warp::k_all_lanes, list.bound(), owner);
    const std::int64_t place = first + warp::lane_id();
    NeighborKey key = k_absent;
    bool within = false;
    if (place < end) {
      const PlacedPoint p = d_data[place];
      const float sq_dist = far.sq_dist_to(p);
      if (sq_dist <= bound) {
        const std::uint32_t row = row_of(p.index);
        key = neighbor_key(sq_dist, row);
        within = !far.is(row);
      }
    }
    for (unsigned lanes = __ballot_sync(warp::k_all_lanes, within); lanes; lanes &= lanes - 1) {
      const NeighborKey candidate = __shfl_sync(warp::k_all_lanes, key, __ffs(static_cast<int>(lanes)) - 1);
      if (warp::lane_id() == owner && candidate < list.last() && !list.has(static_cast<std::uint32_t>(candidate)))
        list.insert(candidate);
    }
  }
}

}  // namespace kann::cuda
