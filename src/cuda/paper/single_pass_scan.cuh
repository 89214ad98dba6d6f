// Exclusive sum of a whole array in one pass over memory: each element is read once and written once, and a tile gets
// the sum of the tiles before it by decoupled look-back (look_back.cuh).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "kann/error.hpp"

#include "cuda/paper/block_scan.cuh"
#include "cuda/paper/look_back.cuh"
#include "cuda/paper/tile_io.cuh"
#include "cuda/runtime/check.hpp"

namespace kann::cuda::paper {

// A tile has 4,096 elements. With 32-bit sums, 128 threads take 32 elements each: at 2²⁸ elements on an H200, this
// gives 0.95 against cub::DeviceScan, where 256 threads of 16 elements gave 0.85 and 512 of 16 gave 0.87. A thread then
// has eight independent 16-byte loads in flight, and a block is soon full again after it has waited for the tiles
// before. With 64-bit sums, 16 elements per thread fill as many bytes.
inline constexpr int k_scan_tile = 4096;
template <class Out>
inline constexpr int k_scan_items = sizeof(Out) == 4 ? 32 : 16;
template <class Out>
inline constexpr int k_scan_threads = k_scan_tile / k_scan_items<Out>;

/// The temporary storage for a scan of n elements, in bytes.
inline std::size_t single_pass_scan_bytes(std::int64_t n) {
  const std::int64_t tiles = n / k_scan_tile + (n % k_scan_tile != 0);
  return static_cast<std::size_t>(1 + tiles) * sizeof(std::uint64_t);  // the next tile's number, and the statuses
}

/// One block per tile. d_words: single_pass_scan_bytes(n) of zeros.
template <class In, class Out>
__global__ void __launch_bounds__(k_scan_threads<Out>)
    single_pass_scan_kernel(const In* d_in, Out* d_out, std::int64_t n, std::uint64_t* d_words, Out* d_total) {
  constexpr int items_each = k_scan_items<Out>;
  using Scan = BlockScan<Out, k_scan_threads<Out>>;
  using Source = Tile<In, items_each>;
  using Target = Tile<Out, items_each>;
  constexpr int warps = k_scan_threads<Out> / warp::k_lanes;
  __shared__ uint4 s_exchange[warps][Target::vectors];  // an element is never larger than its sum
  __shared__ typename Scan::Storage s_scan;
  __shared__ std::int64_t s_tile;
  __shared__ Out s_tiles_before;
  const int warp_id = static_cast<int>(threadIdx.x) / warp::k_lanes;

  if (threadIdx.x == 0) s_tile = take_tile(d_words[0]);
  __syncthreads();  // the tile's number is known
  const std::int64_t tile = s_tile;
  const std::int64_t first = tile * k_scan_tile + warp_id * Source::values;

  // Load: the elements of a thread are consecutive
  In items[items_each];
  Source::load(d_in + first, n - first, s_exchange[warp_id], items);

  // Scan the tile by the threads' sums
  Out sum = 0;
#pragma unroll
  for (int i = 0; i < items_each; ++i) sum += items[i];
  Out aggregate;
  const Out threads_before = Scan::exclusive_sum(s_scan, sum, aggregate);

  // Look back
  if (warp_id == 0) {
    const Out tiles_before = look_back(d_words + 1, tile, aggregate);
    if (threadIdx.x == 0) {
      s_tiles_before = tiles_before;
      if (d_total && tile == gridDim.x - 1) *d_total = tiles_before + aggregate;
    }
  }
  __syncthreads();  // the sum of the tiles before is known

  // Store
  Out running = s_tiles_before + threads_before;
  Out sums[items_each];
#pragma unroll
  for (int i = 0; i < items_each; ++i) {
    sums[i] = running;
    running += items[i];
  }
  Target::store(d_out + first, n - first, s_exchange[warp_id], sums);
}

/// d_out[i] = d_in[0] + … + d_in[i−1] for i < n, and, unless d_total is null, *d_total = the sum of all n. In is an
/// unsigned type of 8, 16, 32 or 64 bits, Out std::uint32_t (sums modulo 2^32) or std::uint64_t (sums below 2^62).
/// d_in may be d_out if the types agree; otherwise they must not overlap. Arrays that begin at a multiple of 16 bytes
/// are read and written in 16-byte pieces. Queued on `stream`, which alone may use d_temp (8-byte aligned, contents
/// ignored) until the scan is done.
/// @throws Error internal if `temp_bytes` is less than single_pass_scan_bytes(n) or n is negative or past the grid's
///         2^31 − 1 tiles, and as check().
template <class In, class Out>
void single_pass_exclusive_sum(void* d_temp, std::size_t temp_bytes, const In* d_in, Out* d_out, std::int64_t n,
                               Out* d_total, cudaStream_t stream) {
  static_assert(std::is_unsigned_v<In> && std::is_unsigned_v<Out> && sizeof(Out) >= 4 && sizeof(In) <= sizeof(Out));
  constexpr std::int64_t maximum = std::int64_t{k_scan_tile} * std::numeric_limits<std::int32_t>::max();
  if (n < 0 || n > maximum)
    throw Error(ErrorKind::internal, "single-pass scan of " + std::to_string(n) + " elements, at most " +
                                         std::to_string(maximum) + " are possible");
  const std::size_t bytes = single_pass_scan_bytes(n);
  if (temp_bytes < bytes)
    throw Error(ErrorKind::internal, "single-pass scan: temporary storage is too small (got " +
                                         std::to_string(temp_bytes) + " bytes, need " + std::to_string(bytes) + ")");
  if (n == 0) {
    if (d_total) check(cudaMemsetAsync(d_total, 0, sizeof(Out), stream), "single-pass scan: total");
    return;
  }
  check(cudaMemsetAsync(d_temp, 0, bytes, stream), "single-pass scan: statuses");
  const auto tiles = static_cast<unsigned>(bytes / sizeof(std::uint64_t) - 1);
  single_pass_scan_kernel<<<tiles, k_scan_threads<Out>, 0, stream>>>(d_in, d_out, n,
                                                                     static_cast<std::uint64_t*>(d_temp), d_total);
  check_launch("single-pass scan");
}

/// As above, without the total.
template <class In, class Out>
void single_pass_exclusive_sum(void* d_temp, std::size_t temp_bytes, const In* d_in, Out* d_out, std::int64_t n,
                               cudaStream_t stream) {
  single_pass_exclusive_sum(d_temp, temp_bytes, d_in, d_out, n, static_cast<Out*>(nullptr), stream);
}

}  // namespace kann::cuda::paper
