// One row of the results, in the registers of its thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "kann/neighbors.hpp"

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/thread/register_keys.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::thread {

/// K neighbours, sorted by their distances as they are written; missing ones are last. Each thread has its own row.
template <int K>
class ResultRow {
 public:
  __device__ __forceinline__ ResultRow() { keys_.fill(k_absent); }

  /// Sets the neighbour at place j < rows.k, a constant, or none if it is not present. Neighbours that are present come
  /// first, preferably in the order of (squared distance, index).
  __device__ __forceinline__ void set(int j, float distance, std::uint32_t index, bool is_present = true) {
    keys_.set(j, is_present ? neighbor_key(distance, index) : k_absent);
  }

  /// Writes the first rows.k as row `row`, in the order of (distance, index): squared distances that differ may have
  /// the same root. Stores 16 bytes at a time if rows.k is a multiple of 4, since the number of stores decides the time
  /// for scattered rows: 2²³ rows of 8 take 6.6 ms with stores of 4 bytes, and 1.5 ms with stores of 16.
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) {
    keys_.sort();
    std::int32_t* const ids = rows.d_ids + row * rows.k;
    float* const distances = rows.d_distances + row * rows.k;
    for (std::int64_t j = K; j < rows.k; ++j) {  // k exceeds the number of data points
      ids[j] = k_missing_id;
      distances[j] = INFINITY;
    }
    if constexpr (K % 4 == 0) {
      if (rows.k % 4 == 0) {
#pragma unroll
        for (int j = 0; j < K; j += 4) {
          if (j < rows.k) {
            *reinterpret_cast<int4*>(ids + j) = {id(j), id(j + 1), id(j + 2), id(j + 3)};
            *reinterpret_cast<float4*>(distances + j) = {distance(j), distance(j + 1), distance(j + 2),
                                                         distance(j + 3)};
          }
        }
        return;
      }
    }
    if constexpr (K == 2) {
      if (rows.k == 2) {
        *reinterpret_cast<int2*>(ids) = {id(0), id(1)};
        *reinterpret_cast<float2*>(distances) = {distance(0), distance(1)};
        return;
      }
    }
#pragma unroll
    for (int j = 0; j < K; ++j) {
      if (j < rows.k) {
        ids[j] = id(j);
        distances[j] = distance(j);
      }
    }
  }

 private:
  __device__ __forceinline__ std::int32_t id(int j) const { return neighbor_id(keys_[j]); }
  __device__ __forceinline__ float distance(int j) const {
    return keys_[j] == k_absent ? INFINITY : sq_dist_of(keys_[j]);
  }

  RegisterKeys<K> keys_;  // the bits of the distance above the index
};

}  // namespace kann::cuda::thread
