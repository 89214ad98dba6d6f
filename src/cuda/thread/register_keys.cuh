// K keys of 64 bits in the registers of a thread.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::thread {

/// Each thread has its own keys and calls their functions alone. Every loop is unrolled: a run-time index would move
/// the keys to local memory.
template <int K>
class RegisterKeys {
 public:
  /// The key at place j, which is a constant wherever speed matters.
  __device__ __forceinline__ NeighborKey operator[](int j) const {
    return static_cast<NeighborKey>(high_[j]) << 32 | low_[j];
  }
  __device__ __forceinline__ std::uint32_t low(int j) const { return low_[j]; }

  __device__ __forceinline__ void set(int j, NeighborKey key) {
    high_[j] = static_cast<std::uint32_t>(key >> 32);
    low_[j] = static_cast<std::uint32_t>(key);
  }
  __device__ __forceinline__ void fill(NeighborKey key) {
#pragma unroll
    for (int j = 0; j < K; ++j) set(j, key);
  }

  /// Inserts a key into ascending keys and drops the largest of the K + 1 keys. Keys 2 5 9, key 4: 2 4 5.
  __device__ __forceinline__ void insert(NeighborKey key) {
    // From the last place down, each place takes the key before it, takes the new key, or keeps its own: six
    // instructions per place. A minimum and a maximum per place, from the first place up, would be eight, as the
    // compiler compares for each.
    bool comes_first = key < (*this)[K - 1];
#pragma unroll
    for (int j = K - 1; j > 0; --j) {
      const bool comes_before = key < (*this)[j - 1];
      high_[j] = comes_before ? high_[j - 1] : comes_first ? static_cast<std::uint32_t>(key >> 32) : high_[j];
      low_[j] = comes_before ? low_[j - 1] : comes_first ? static_cast<std::uint32_t>(key) : low_[j];
      comes_first = comes_before;
    }
    if (comes_first) set(0, key);
  }

  /// Sorts the keys. Exchanges neighbouring keys until all are in order (odd–even transposition sort), which takes few
  /// rounds for keys that are nearly sorted. Equal keys need not be next to each other before. Keys 2 9 5: 2 5 9.
  __device__ __forceinline__ void sort() {
    while (true) {
      bool sorted = true;
#pragma unroll
      for (int j = 1; j < K; ++j) sorted &= (*this)[j - 1] <= (*this)[j];
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

 private:
  // Two arrays of 32-bit words, the size that instructions work on
  std::uint32_t high_[K];
  std::uint32_t low_[K];
};

}  // namespace kann::cuda::thread
