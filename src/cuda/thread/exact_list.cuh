// The K exact nearest neighbours so far of one query, in the registers of its thread.
#pragma once

#include "cuda/runtime/result_rows.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/thread/result_row.cuh"

namespace kann::cuda::thread {

/// K keys, ascending, absent ones last; no key twice. As NearestList, with keys of three words instead of two.
template <int K>
class ExactList {
 public:
  /// The key at place j, which is a constant wherever speed matters.
  __device__ __forceinline__ const ExactKey& operator[](int j) const { return keys_[j]; }
  __device__ __forceinline__ const ExactKey& last() const { return keys_[K - 1]; }

  /// Inserts a key that is not in the list and drops the largest of the K + 1 keys. List 2 5 9, key 4: 2 4 5.
  __device__ __forceinline__ void insert(const ExactKey& key) {
    // From the last place down, each place takes the key before it, takes the new key, or keeps its own
    bool comes_first = key < last();
#pragma unroll
    for (int j = K - 1; j > 0; --j) {
      const ExactKey before = keys_[j - 1];
      const bool comes_before = key < before;
      keys_[j].index = comes_before ? before.index : comes_first ? key.index : keys_[j].index;
      keys_[j].low = comes_before ? before.low : comes_first ? key.low : keys_[j].low;
      keys_[j].high = comes_before ? before.high : comes_first ? key.high : keys_[j].high;
      comes_first = comes_before;
    }
    if (comes_first) keys_[0] = key;
  }

  /// Writes the rows.k nearest as row `row`, as ResultRow does.
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const {
    ResultRow<K> result;
#pragma unroll
    for (int j = 0; j < K; ++j)
      if (j < rows.k && !keys_[j].is_absent()) result.set(j, float_root(keys_[j].sq_dist()), keys_[j].index);
    result.write(rows, row);
  }

 private:
  ExactKey keys_[K];
};

}  // namespace kann::cuda::thread
