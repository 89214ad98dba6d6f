// The K nearest neighbours so far of one query, in the registers of its thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cuda/runtime/list_size.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/thread/register_keys.cuh"
#include "cuda/thread/result_row.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::thread {

/// K neighbour keys, ascending, absent ones last; no key twice.
template <int K>
class NearestList {
 public:
  __device__ __forceinline__ NearestList() { keys_.fill(k_absent); }

  /// The key at place j, which is a constant wherever speed matters.
  __device__ __forceinline__ NeighborKey operator[](int j) const { return keys_[j]; }
  __device__ __forceinline__ NeighborKey last() const { return keys_[K - 1]; }

  /// The maximum squared distance of a point that can still enter the list: that of the last key, infinite while the
  /// list is not full.
  __device__ __forceinline__ float bound() const { return last() == k_absent ? INFINITY : sq_dist_of(last()); }

  /// Whether the point of that index is in the list.
  __device__ __forceinline__ bool has(std::uint32_t index) const {
    bool seen = false;
#pragma unroll
    for (int j = 0; j < K; ++j) seen |= keys_.low(j) == index;
    return seen;
  }

  /// Inserts a key that is not in the list and drops the largest of the K + 1 keys.
  __device__ __forceinline__ void insert(NeighborKey key) { keys_.insert(key); }

  /// Sets the key at place j, a constant. The caller makes the list ascending, with sort() if need be.
  __device__ __forceinline__ void set(int j, NeighborKey key) { keys_.set(j, key); }
  __device__ __forceinline__ void sort() { keys_.sort(); }

  __device__ __forceinline__ void load(const NeighborKey* d_keys) {
#pragma unroll
    for (int j = 0; j < K; ++j) keys_.set(j, d_keys[j]);
  }
  __device__ __forceinline__ void store(NeighborKey* d_keys) const {
#pragma unroll
    for (int j = 0; j < K; ++j) d_keys[j] = keys_[j];
  }

  /// Writes the rows.k nearest as row `row`, as ResultRow does.
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const {
    ResultRow<K> result;
#pragma unroll
    for (int j = 0; j < K; ++j)
      if (j < rows.k && keys_[j] != k_absent)
        result.set(j, neighbor_distance(keys_[j], rows.unit), static_cast<std::uint32_t>(keys_[j]));
    result.write(rows, row);
  }

 private:
  RegisterKeys<K> keys_;
};

/// Calls f(K), K an integral constant, for the smallest list in registers that holds `list_size` ≤ k_max_register_list
/// neighbours. For list_size = 5, it calls f(8).
template <class F>
void with_list(std::int64_t list_size, F&& f) {
  using std::integral_constant;
  switch (rounded_list_size(list_size)) {
    case 1:
      return f(integral_constant<int, 1>());
    case 2:
      return f(integral_constant<int, 2>());
    case 4:
      return f(integral_constant<int, 4>());
    case 8:
      return f(integral_constant<int, 8>());
    case 16:
      return f(integral_constant<int, 16>());
    default:
      return f(integral_constant<int, 32>());
  }
}

}  // namespace kann::cuda::thread
