// Queues of queries that are to be searched for again, or in another way.
#pragma once

#include <cstdint>

#include "geometry/host_device.hpp"
#ifdef __CUDACC__
#include "cuda/warp/lane.cuh"
#endif

namespace kann::cuda::exact {

/// Numbers of queries, in any order: a view of device memory for as many as may be added. The host does not know how
/// many there are.
struct QueryQueue {
  std::uint32_t* d_slots;  ///< places in the order of the queries, unless its owner says otherwise
  std::uint32_t* d_count;  ///< at first 0

#ifdef __CUDACC__
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
#endif
};

/// Whether `count` queries are more than one in eight of those before `slot`, which is a place in the order, or the
/// number of all; blocks begin in the order of their slots.
/// Searching for many queries twice takes longer than leaving the next ones to the second search at once. The first
/// queries are too few to tell, so it must be more than 8,192.
KANN_HOST_DEVICE bool are_many(std::uint32_t count, std::uint32_t slot) {
  constexpr std::uint32_t enough = 1 << 16;
  return count > (slot > enough ? slot : enough) / 8;
}

}  // namespace kann::cuda::exact
