// Variants of the single-pass scan (cuda/paper/single_pass_scan.cuh), to measure the effect of the tile size, of the
// numbering of the tiles and of waiting. The fastest variant belongs in that file.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/paper/block_scan.cuh"
#include "cuda/paper/look_back.cuh"
#include "cuda/paper/tile_io.cuh"
#include "cuda/runtime/check.hpp"

namespace kann::bench {

/// How a block gets the number of its tile.
enum class Numbering {
  counter,     ///< from an atomic counter, like the library
  block,       ///< blockIdx: no atomic, but progress depends on the order in which blocks start; for comparison only
  persistent,  ///< as many blocks as are resident at once, each taking the next number while it scans its tile, which
               ///< hides the latency of the counter. There is no deadlock: a block waits only for lower numbers and
               ///< takes its own in ascending order, so the block with the lowest unfinished tile is never waiting.
};

/// cuda::paper::look_back(), except that a warp sleeps before it reads the status of an invalid predecessor again,
/// since its reads take L2 bandwidth from the loads of that predecessor. Called by all lanes of one warp.
template <int sleep_ns>
__device__ __forceinline__ std::uint32_t sleepy_look_back(std::uint64_t* d_statuses, std::int64_t tile,
                                                          std::uint32_t aggregate) {
  using namespace cuda;
  using namespace cuda::paper;
  const int lane = warp::lane_id();
  const auto publish = [&](TileState state, std::uint32_t sum) {
    if (lane == 0) DeviceWord(d_statuses[tile]).store(tile_status(state, sum), ::cuda::memory_order_relaxed);
  };
  if (tile == 0) {
    publish(TileState::inclusive, aggregate);
    return 0;
  }
  publish(TileState::partial, aggregate);
  std::uint32_t seen = 0;
  unsigned prefixes = 0;
  for (std::int64_t newest = tile - 1; prefixes == 0; newest -= warp::k_lanes) {
    const std::int64_t predecessor = newest - lane;
    std::uint64_t status;
    unsigned wanted;
    for (;;) {
      status = predecessor < 0 ? tile_status(TileState::inclusive, 0)
                               : DeviceWord(d_statuses[predecessor]).load(::cuda::memory_order_relaxed);
      prefixes = __ballot_sync(warp::k_all_lanes, tile_state(status) == TileState::inclusive);
      wanted = lanes_through_lowest(prefixes);
      if (!(__ballot_sync(warp::k_all_lanes, tile_state(status) == TileState::invalid) & wanted)) break;
      __nanosleep(sleep_ns);
    }
    if (wanted >> lane & 1) seen += static_cast<std::uint32_t>(tile_sum(status));
  }
  const std::uint32_t before = __shfl_sync(warp::k_all_lanes, inclusive_sum(seen), warp::k_lanes - 1);
  publish(TileState::inclusive, before + aggregate);
  return before;
}

/// d_words: the number of the next tile, then one status per tile, all 0 at the start; not used if there is one tile.
template <int threads, int items, Numbering numbering, int sleep_ns, class Scan>
__global__ void __launch_bounds__(threads)
    scan_variant_kernel(const std::uint32_t* d_in, std::uint32_t* d_out, std::int64_t n, std::uint64_t* d_words) {
  using Tile = cuda::paper::Tile<std::uint32_t, items>;
  constexpr int warps = threads / cuda::warp::k_lanes;
  constexpr int tile_size = threads * items;
  __shared__ uint4 s_exchange[warps][Tile::vectors];
  __shared__ typename Scan::Storage s_scan;
  __shared__ std::int64_t s_tile;
  __shared__ std::uint32_t s_tiles_before;
  const int warp_id = static_cast<int>(threadIdx.x) / cuda::warp::k_lanes;
  const std::int64_t tiles = (n + tile_size - 1) / tile_size;

  std::int64_t tile = 0;
  if (numbering == Numbering::block) tile = blockIdx.x;
  if (numbering != Numbering::block && tiles > 1) {
    if (threadIdx.x == 0) s_tile = cuda::paper::take_tile(d_words[0]);
    __syncthreads();  // the number of the tile is known
    tile = s_tile;
  }
  while (tile < tiles) {
    const std::int64_t first = tile * tile_size + warp_id * Tile::values;

    // Load
    std::uint32_t values[items];
    Tile::load(d_in + first, n - first, s_exchange[warp_id], values);
    std::int64_t next = tiles;
    if (numbering == Numbering::persistent && threadIdx.x == 0 && tiles > 1) next = cuda::paper::take_tile(d_words[0]);

    // Scan
    std::uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) sum += values[i];
    std::uint32_t aggregate;
    const std::uint32_t threads_before = Scan::exclusive_sum(s_scan, sum, aggregate);

    // Look back
    if (warp_id == 0) {
      std::uint32_t before = 0;
      if (tiles > 1) {
        if constexpr (sleep_ns > 0)
          before = sleepy_look_back<sleep_ns>(d_words + 1, tile, aggregate);
        else
          before = cuda::paper::look_back(d_words + 1, tile, aggregate);
      }
      if (threadIdx.x == 0) {
        s_tiles_before = before;
        s_tile = next;
      }
    }
    __syncthreads();  // the sum of the tiles before is known

    // Store
    std::uint32_t running = s_tiles_before + threads_before;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const std::uint32_t value = values[i];
      values[i] = running;
      running += value;
    }
    Tile::store(d_out + first, n - first, s_exchange[warp_id], values);
    if (numbering != Numbering::persistent) return;
    tile = s_tile;
    __syncthreads();  // all threads have read s_tile; s_scan may be reused
  }
}

/// Queues the scan of n elements. `d_words` has 1 + tiles words; they are cleared, unless there is only one tile, which
/// needs no look-back.
template <int threads, int items, Numbering numbering, int sleep_ns, class Scan>
void scan_variant(const std::uint32_t* d_in, std::uint32_t* d_out, std::int64_t n, std::uint64_t* d_words,
                  cudaStream_t stream) {
  const auto kernel = scan_variant_kernel<threads, items, numbering, sleep_ns, Scan>;
  const std::int64_t tiles = (n + threads * items - 1) / (threads * items);
  if (tiles > 1)
    cuda::check(cudaMemsetAsync(d_words, 0, static_cast<std::size_t>(1 + tiles) * sizeof *d_words, stream), "statuses");
  std::int64_t blocks = tiles;
  if (numbering == Numbering::persistent) {
    static const std::int64_t fit = [&] {
      int device = 0, processors = 0, resident = 0;
      cuda::check(cudaGetDevice(&device), "cudaGetDevice");
      cuda::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
      cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0), "occupancy");
      return std::int64_t{processors} * resident;
    }();
    if (fit < blocks) blocks = fit;
  }
  kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(d_in, d_out, n, d_words);
  cuda::check_launch("scan variant");
}

}  // namespace kann::bench
