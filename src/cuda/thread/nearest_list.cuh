// The K nearest neighbours so far of one query, in the registers of its thread.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kann/neighbors.hpp"

#include "cuda/runtime/list_size.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::thread {

/// K neighbour keys, ascending, absent ones last; no key twice. Each thread has its own list and calls its functions
/// alone. Every loop is unrolled: a run-time index would move the list to local memory.
template <int K>
class NearestList {
 public:
  __device__ __forceinline__ NearestList() {
#pragma unroll
    for (int j = 0; j < K; ++j) set(j, k_absent);
  }

  /// The first K of a longer list.
  template <int L>
  __device__ __forceinline__ explicit NearestList(const NearestList<L>& longer) {
#pragma unroll
    for (int j = 0; j < K; ++j) set(j, longer[j]);
  }

  /// The key at place j, which is a constant wherever speed matters.
  __device__ __forceinline__ NeighborKey operator[](int j) const {
    return static_cast<NeighborKey>(sq_dist_bits_[j]) << 32 | indices_[j];
  }
  __device__ __forceinline__ NeighborKey last() const { return (*this)[K - 1]; }

  /// The maximum squared distance of a point that can still enter the list: that of the last key, infinite while the
  /// list is not full.
  __device__ __forceinline__ float bound() const { return last() == k_absent ? INFINITY : sq_dist_of(last()); }

  /// Whether the point of that index is in the list.
  __device__ __forceinline__ bool has(std::uint32_t index) const {
    bool seen = false;
#pragma unroll
    for (int j = 0; j < K; ++j) seen |= indices_[j] == index;
    return seen;
  }

  /// Inserts a key that is not in the list and drops the largest of the K + 1 keys. List 2 5 9, key 4: 2 4 5.
  __device__ __forceinline__ void insert(NeighborKey key) {
    // From the last place down, each place takes the key before it, takes the new key, or keeps its own: six
    // instructions per place. A minimum and a maximum per place, from the first place up, would be eight, as the
    // compiler compares for each.
    bool comes_first = key < last();
#pragma unroll
    for (int j = K - 1; j > 0; --j) {
      const bool comes_before = key < (*this)[j - 1];
      sq_dist_bits_[j] = comes_before  ? sq_dist_bits_[j - 1]
                         : comes_first ? static_cast<std::uint32_t>(key >> 32)
                                       : sq_dist_bits_[j];
      indices_[j] = comes_before ? indices_[j - 1] : comes_first ? static_cast<std::uint32_t>(key) : indices_[j];
      comes_first = comes_before;
    }
    if (comes_first) set(0, key);
  }

  /// Sets the key at place j, a constant. The caller makes the list ascending, with sort() if need be.
  __device__ __forceinline__ void set(int j, NeighborKey key) {
    sq_dist_bits_[j] = static_cast<std::uint32_t>(key >> 32);
    indices_[j] = static_cast<std::uint32_t>(key);
  }

  /// Sorts a list that was filled by set(). Exchanges neighbouring keys until all are in order (odd–even transposition
  /// sort), which takes few rounds for a list that is nearly sorted. List 2 9 5: 2 5 9.
  __device__ __forceinline__ void sort() {
    while (true) {
      bool sorted = true;
#pragma unroll
      for (int j = 1; j < K; ++j) sorted &= (*this)[j - 1] < (*this)[j];
      if (sorted) return;
#pragma unroll
      for (int parity = 0; parity < 2; ++parity) {
#pragma unroll
        for (int j = 1 + parity; j < K; j += 2) {
          const NeighborKey a = (*this)[j - 1], b = (*this)[j];
          set(j - 1, a < b ? a : b);
          set(j, a < b ? b : a);
        }
      }
    }
  }

  __device__ __forceinline__ void load(const NeighborKey* d_keys) {
#pragma unroll
    for (int j = 0; j < K; ++j) set(j, d_keys[j]);
  }
  __device__ __forceinline__ void store(NeighborKey* d_keys) const {
#pragma unroll
    for (int j = 0; j < K; ++j) d_keys[j] = (*this)[j];
  }

  /// Writes the rows.k nearest as row `row`, with missing neighbours after the last key (id −1, infinite distance).
  /// Stores 16 bytes at a time where rows.k is a multiple of 4: scattered rows cost per store, 6.6 ms with stores of 4
  /// bytes and 1.5 ms with stores of 16 for 2²³ rows of 8.
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const {
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
            *reinterpret_cast<int4*>(ids + j) = {neighbor_id((*this)[j]), neighbor_id((*this)[j + 1]),
                                                 neighbor_id((*this)[j + 2]), neighbor_id((*this)[j + 3])};
            *reinterpret_cast<float4*>(distances + j) = {
                neighbor_distance((*this)[j], rows.unit), neighbor_distance((*this)[j + 1], rows.unit),
                neighbor_distance((*this)[j + 2], rows.unit), neighbor_distance((*this)[j + 3], rows.unit)};
          }
        }
        return;
      }
    }
    if constexpr (K == 2) {
      if (rows.k == 2) {
        *reinterpret_cast<int2*>(ids) = {neighbor_id((*this)[0]), neighbor_id((*this)[1])};
        *reinterpret_cast<float2*>(distances) = {neighbor_distance((*this)[0], rows.unit),
                                                 neighbor_distance((*this)[1], rows.unit)};
        return;
      }
    }
#pragma unroll
    for (int j = 0; j < K; ++j) {
      if (j < rows.k) {
        ids[j] = neighbor_id((*this)[j]);
        distances[j] = neighbor_distance((*this)[j], rows.unit);
      }
    }
  }

 private:
  // Two arrays of 32-bit words, the size that instructions work on
  std::uint32_t sq_dist_bits_[K];
  std::uint32_t indices_[K];
};

/// Calls f(K), K an integral constant, for the smallest NearestList<K> that holds `list_size` ≤ k_max_register_list
/// neighbours. list_size = 5: f(8).
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
