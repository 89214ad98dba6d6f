// Queues of queries that are to be searched for again, or in another way, and the searches that empty them.
#pragma once

#include <cstdint>

#include "cuda/exact/search.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/host_device.hpp"

namespace kann::cuda::exact {

/// Slots of queries, in any order: a view of device memory for as many as may be added. The host does not know how many
/// there are.
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
  /// The number of queries so far, while other warps may add some.
  __device__ __forceinline__ std::uint32_t count() const { return *static_cast<volatile std::uint32_t*>(d_count); }
};

/// Whether `count` queries are more than one in eight of those before `slot`; blocks begin in the order of their slots.
/// Searching for many queries twice takes longer than leaving the next ones to the second search at once. The first
/// queries are too few to tell, so it must be more than 8,192.
KANN_HOST_DEVICE bool are_many(std::uint32_t count, std::uint32_t slot) {
  constexpr std::uint32_t enough = 1 << 16;
  return count > (slot > enough ? slot : enough) / 8;
}

/// The queries that the search of short lists does not finish. A query is in at most one queue, alone or with its warp.
struct Remaining {
  QueryQueue undecided;        ///< queries that the filter does not decide; their float32 distances may be exact
  QueryQueue undecided_warps;  ///< groups of 32 such queries with consecutive slots; an entry is slot / 32
  QueryQueue single;           ///< queries to be searched for one by one
  std::uint32_t* d_next;       ///< the next entry of `single` to take, at first 0

  __device__ __forceinline__ bool are_many_undecided(std::uint32_t slot) const {
    return are_many(undecided.count() + undecided_warps.count() * warp::k_lanes, slot);
  }
  __device__ __forceinline__ bool are_many_single(std::uint32_t slot) const { return are_many(single.count(), slot); }
};

/// Searches for the undecided queries whose float32 distances are exact, and adds the others to `single`; if there are
/// only few queries, it adds all of them.
void search_lattices(Pool& pool, const Search<float>& search, const ResultRows& rows, const Remaining& remaining);

/// Searches for the single queries.
template <class Real>
void search_queued(Pool& pool, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining);

}  // namespace kann::cuda::exact
