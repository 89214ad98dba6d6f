// Queries that are to be searched again, or in another way, and the searches that take them on.
#pragma once

#include <cstdint>

#include "cuda/exact/search.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/host_device.hpp"

namespace kann::cuda::exact {

/// Slots of queries, in any order; a view of device memory for as many as may be added. The host does not know how many
/// they are.
struct QueryQueue {
  std::uint32_t* d_slots;
  std::uint32_t* d_count;  ///< at first 0

  /// Adds the slots of the lanes for which `adds` is true, next to each other. Called by all 32 lanes.
  __device__ __forceinline__ void add(bool adds, std::uint32_t slot) const {
    const unsigned those = __ballot_sync(warp::k_all_lanes, adds);
    if (those == 0) return;
    std::uint32_t first = 0;
    if (warp::lane_id() == 0) first = atomicAdd(d_count, static_cast<std::uint32_t>(__popc(those)));
    first = __shfl_sync(warp::k_all_lanes, first, 0);
    if (adds) d_slots[first + __popc(those & ((1u << warp::lane_id()) - 1))] = slot;
  }
  /// While others are added.
  __device__ __forceinline__ std::uint32_t count() const { return *static_cast<volatile std::uint32_t*>(d_count); }
};

/// Whether `count` queries are more than one in eight of those before `slot`: blocks begin in the order of their slots.
/// To search for many queries twice takes longer than to leave the next ones to the second search at once. Not asked of
/// the first queries, which are too few to tell.
KANN_HOST_DEVICE bool are_many(std::uint32_t count, std::uint32_t slot) {
  constexpr std::uint32_t enough = 1 << 16;
  return count > (slot > enough ? slot : enough) / 8;
}

/// What the search of short lists leaves. A query is in one of the queues at most, or its warp is.
struct Remaining {
  QueryQueue undecided;        ///< the filter does not decide, but float32 distances may be exact
  QueryQueue undecided_warps;  ///< 32 such queries each, whose slots follow each other: slot / 32
  QueryQueue single;           ///< to be searched for one by one
  std::uint32_t* d_next;       ///< the next entry of `single` to take, at first 0

  __device__ __forceinline__ bool are_many_undecided(std::uint32_t slot) const {
    return are_many(undecided.count() + undecided_warps.count() * warp::k_lanes, slot);
  }
  __device__ __forceinline__ bool are_many_single(std::uint32_t slot) const { return are_many(single.count(), slot); }
};

/// Searches for the undecided queries where float32 distances are exact; the others are added to `single`, and so are
/// few queries.
void search_lattices(Pool& pool, const Search<float>& search, const ResultRows& rows, const Remaining& remaining);

/// Searches for the single queries.
template <class Real>
void search_queued(Pool& pool, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining);

}  // namespace kann::cuda::exact
