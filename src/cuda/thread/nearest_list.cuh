// The K nearest so far of one query, in the registers of its thread.
#pragma once

#include <cstdint>

#include "kann/neighbors.hpp"

#include "cuda/placed_point.hpp"
#include "cuda/result_rows.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::thread {

/// K neighbour keys, ascending, absent ones last; no key twice. Every loop is unrolled: a run-time index would move the
/// list to local memory.
template <int K>
class NearestList {
 public:
  __device__ __forceinline__ NearestList() {
#pragma unroll
    for (int j = 0; j < K; ++j) keys_[j] = k_absent;
  }

  __device__ __forceinline__ NeighborKey first() const { return keys_[0]; }
  __device__ __forceinline__ NeighborKey last() const { return keys_[K - 1]; }

  /// The key at `place`, known only at run time.
  __device__ __forceinline__ NeighborKey at(int place) const {
    NeighborKey key = keys_[K - 1];
#pragma unroll
    for (int j = 0; j < K - 1; ++j) key = j == place ? keys_[j] : key;
    return key;
  }

  /// The largest squared distance that can still get in: that of the last key, infinite while the list is not full.
  __device__ __forceinline__ float bound() const {
    return keys_[K - 1] == k_absent ? INFINITY : sq_dist_of(keys_[K - 1]);
  }

  /// Whether the list has the key's point. An index stands for one distance.
  __device__ __forceinline__ bool has(NeighborKey key) const {
    bool seen = false;
#pragma unroll
    for (int j = 0; j < K; ++j) seen |= static_cast<std::uint32_t>(keys_[j]) == static_cast<std::uint32_t>(key);
    return seen;
  }

  /// Puts a key that the list does not have in its place; the last key, or that one, falls off.
  __device__ __forceinline__ void insert(NeighborKey key) {
    // Carried from place to place: comparing with all places first takes more predicates than there are.
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const bool comes_first = key < keys_[j];
      const NeighborKey moved = comes_first ? keys_[j] : key;
      keys_[j] = comes_first ? key : keys_[j];
      key = moved;
    }
  }

  /// Sets the key at `place`, known only at run time, of a list under construction.
  __device__ __forceinline__ void set(int place, NeighborKey key) {
#pragma unroll
    for (int j = 0; j < K; ++j)
      if (j == place) keys_[j] = key;
  }

  __device__ __forceinline__ void load(const NeighborKey* d_keys) {
#pragma unroll
    for (int j = 0; j < K; ++j) keys_[j] = d_keys[j];
  }
  __device__ __forceinline__ void store(NeighborKey* d_keys) const {
#pragma unroll
    for (int j = 0; j < K; ++j) d_keys[j] = keys_[j];
  }

  /// Writes the nearest rows.k as row `row`, what the list does not hold as missing; 16 bytes at a time where rows
  /// allow it: scattered rows cost by the piece, 6.6 ms by 4 bytes and 1.5 ms by 16 for 2²³ rows of 8.
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const {
    std::int32_t* const ids = rows.d_ids + row * rows.k;
    float* const distances = rows.d_distances + row * rows.k;
    for (std::int64_t j = K; j < rows.k; ++j) {  // more than there are data points
      ids[j] = k_missing_id;
      distances[j] = INFINITY;
    }
    if constexpr (K % 4 == 0) {
      if (rows.k % 4 == 0) {
#pragma unroll
        for (int j = 0; j < K; j += 4) {
          if (j < rows.k) {
            *reinterpret_cast<int4*>(ids + j) = {neighbor_id(keys_[j]), neighbor_id(keys_[j + 1]),
                                                 neighbor_id(keys_[j + 2]), neighbor_id(keys_[j + 3])};
            *reinterpret_cast<float4*>(distances + j) = {
                neighbor_distance(keys_[j], rows.unit), neighbor_distance(keys_[j + 1], rows.unit),
                neighbor_distance(keys_[j + 2], rows.unit), neighbor_distance(keys_[j + 3], rows.unit)};
          }
        }
        return;
      }
    }
#pragma unroll
    for (int j = 0; j < K; ++j) {
      if (j < rows.k) {
        ids[j] = neighbor_id(keys_[j]);
        distances[j] = neighbor_distance(keys_[j], rows.unit);
      }
    }
  }

 private:
  NeighborKey keys_[K];
};

}  // namespace kann::cuda::thread
