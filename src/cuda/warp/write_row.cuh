// A warp writes a row of results from neighbours that are in order, or nearly so.
#pragma once

#include <cmath>
#include <cstdint>

#include "kann/neighbors.hpp"

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/sort.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::warp {

/// Writes the neighbours key_at(0 … count − 1), keys of (distance as it is written, index), and marks the rest of the
/// row as missing. Returns whether the keys are in order. key_at(i) must be k_absent for i ≥ count. Called by all 32
/// lanes with the same arguments; valid in all.
template <class KeyAt>
__device__ __forceinline__ bool write_if_ordered(const ResultRows& rows, std::int64_t row, int count, KeyAt key_at) {
  std::int32_t* const d_ids = rows.d_ids + row * rows.k;
  float* const d_distances = rows.d_distances + row * rows.k;
  bool is_ordered = true;
  NeighborKey before = 0;  // the last of the 32 keys before
#pragma unroll 1
  for (int begin = 0; begin < count; begin += k_lanes) {
    const int entry = begin + lane_id();
    const NeighborKey key = key_at(entry);
    if (entry < count) {
      d_ids[entry] = neighbor_id(key);
      d_distances[entry] = sq_dist_of(key);
    }
    const NeighborKey left = __shfl_up_sync(k_all_lanes, key, 1);
    is_ordered &= (lane_id() == 0 ? before : left) <= key;
    before = __shfl_sync(k_all_lanes, key, k_lanes - 1);
  }
  for (std::int64_t j = count + lane_id(); j < rows.k; j += k_lanes) {
    d_ids[j] = k_missing_id;
    d_distances[j] = INFINITY;
  }
  return __all_sync(k_all_lanes, is_ordered);
}

/// As write_if_ordered(), but exchanges neighbours that follow each other in the wrong order. Returns false if the row
/// is not in order after some rounds of that.
template <class KeyAt>
__device__ __forceinline__ bool write_nearly_ordered(const ResultRows& rows, std::int64_t row, int count,
                                                     KeyAt key_at) {
  bool is_ordered = write_if_ordered(rows, row, count, key_at);
  __syncwarp();  // the row is written
  std::int32_t* const d_ids = rows.d_ids + row * rows.k;
  float* const d_distances = rows.d_distances + row * rows.k;
#pragma unroll 1
  for (int round = 0; round < 8 && !is_ordered; ++round) {
    is_ordered = true;
#pragma unroll 1
    for (int first = 0; first < 2; ++first) {
      for (int i = first + 2 * lane_id(); i + 1 < count; i += 2 * k_lanes) {
        const NeighborKey own = neighbor_key(d_distances[i], static_cast<std::uint32_t>(d_ids[i])),
                          next = neighbor_key(d_distances[i + 1], static_cast<std::uint32_t>(d_ids[i + 1]));
        if (own <= next) continue;
        d_ids[i] = neighbor_id(next);
        d_ids[i + 1] = neighbor_id(own);
        d_distances[i] = sq_dist_of(next);
        d_distances[i + 1] = sq_dist_of(own);
        is_ordered = false;
      }
      __syncwarp();  // these pairs are exchanged
    }
    is_ordered = __all_sync(k_all_lanes, is_ordered);
  }
  return is_ordered;
}

/// Sorts the keys key_at(0 … count − 1), count ≤ 32·R, and writes them: different squared distances may have the same
/// root.
template <int R, class KeyAt>
__device__ __forceinline__ void write_sorted(const ResultRows& rows, std::int64_t row, int count, KeyAt key_at) {
  NeighborKey keys[R];
#pragma unroll 1
  for (int r = 0; r < R; ++r) keys[r] = key_at(r * k_lanes + lane_id());
  sort_rarely(keys);
#pragma unroll 1
  for (int r = 0; r < R; ++r) {
    const int entry = r * k_lanes + lane_id();
    if (entry >= count) continue;
    rows.d_ids[row * rows.k + entry] = neighbor_id(keys[r]);
    rows.d_distances[row * rows.k + entry] = sq_dist_of(keys[r]);
  }
}

}  // namespace kann::cuda::warp
