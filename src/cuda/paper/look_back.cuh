// Decoupled look-back (Merrill and Garland 2016): how a tile gets the sum of all tiles before it while they are still
// running, so that a scan of the whole device reads and writes memory once.
//
// Forward progress. A tile waits for its predecessors only, and takes its number from a counter when its block starts
// to run: a tile of lower number is running or done, and publishes its own sum before it waits. So the oldest
// unfinished tile never waits, and the wait ends however few blocks fit the device. A limit on the spin would only turn
// a late predecessor into a wrong sum; there is none. Numbers by blockIdx would depend on the order in which the
// hardware happens to start blocks.
//
// Memory order. Value and state share one aligned 64-bit word, which a relaxed atomic reads and writes in one piece. No
// block reads anything else that another block of the same launch wrote, so there is nothing for a fence, or for an
// acquire and a release, to order.
#pragma once

#include <cstdint>
#include <cuda/atomic>

#include "cuda/paper/kogge_stone.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/host_device.hpp"

namespace kann::cuda::paper {

/// What a tile has published so far. Zeroed memory is an array of invalid tiles.
enum class TileState : std::uint64_t {
  invalid = 0,    ///< nothing
  partial = 1,    ///< the sum of its own elements
  inclusive = 2,  ///< the sum of all elements up to its last
};

/// A tile's status word: the state in the lowest 2 bits, 62 bits of sum above. Sums are modulo 2^62.
KANN_HOST_DEVICE constexpr std::uint64_t tile_status(TileState state, std::uint64_t sum) {
  return sum << 2 | static_cast<std::uint64_t>(state);
}
KANN_HOST_DEVICE constexpr TileState tile_state(std::uint64_t status) { return static_cast<TileState>(status & 3); }
KANN_HOST_DEVICE constexpr std::uint64_t tile_sum(std::uint64_t status) { return status >> 2; }

/// The lowest lane of a set and the lanes before it; all lanes if the set is empty.
/// lanes_through_lowest(0b10100) = 0b111.
KANN_HOST_DEVICE constexpr unsigned lanes_through_lowest(unsigned lanes) { return lanes ^ (lanes - 1u); }

using DeviceWord = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;

/// The next tile number. Called by one thread of a block; `d_next` starts at 0.
__device__ __forceinline__ std::int64_t take_tile(std::uint64_t& d_next) {
  return static_cast<std::int64_t>(DeviceWord(d_next).fetch_add(1, ::cuda::memory_order_relaxed));
}

/// The sum of all tiles before `tile`, whose own sum is `aggregate`; publishes both for the tiles after it. Called by
/// the 32 lanes of one warp of the tile's block, valid in all of them; waits for the tiles before. d_statuses[t]
/// belongs to tile t and starts at 0. T is an unsigned integer. With sums 5 2 4 of the tiles, tile 2 gets
/// 7 and publishes 11.
template <class T>
__device__ __forceinline__ T look_back(std::uint64_t* d_statuses, std::int64_t tile, T aggregate) {
  const int lane = warp::lane_id();
  const auto publish = [&](TileState state, T sum) {
    if (lane == 0) DeviceWord(d_statuses[tile]).store(tile_status(state, sum), ::cuda::memory_order_relaxed);
  };
  if (tile == 0) {
    publish(TileState::inclusive, aggregate);
    return 0;
  }
  publish(TileState::partial, aggregate);

  T seen = 0;  // the sum of the predecessors that this lane has read
  unsigned prefixes = 0;
  for (std::int64_t newest = tile - 1; prefixes == 0; newest -= warp::k_lanes) {
    const std::int64_t predecessor = newest - lane;
    std::uint64_t status;
    unsigned needed, invalid;
    do {
      // Before tile 0, the sum is 0.
      status = predecessor < 0 ? tile_status(TileState::inclusive, 0)
                               : DeviceWord(d_statuses[predecessor]).load(::cuda::memory_order_relaxed);
      prefixes = __ballot_sync(warp::k_all_lanes, tile_state(status) == TileState::inclusive);
      invalid = __ballot_sync(warp::k_all_lanes, tile_state(status) == TileState::invalid);
      needed = lanes_through_lowest(prefixes);
    } while (invalid & needed);
    if (needed >> lane & 1) seen += static_cast<T>(tile_sum(status));
  }
  const T before = __shfl_sync(warp::k_all_lanes, inclusive_sum(seen), warp::k_lanes - 1);
  publish(TileState::inclusive, before + aggregate);
  return before;
}

}  // namespace kann::cuda::paper
