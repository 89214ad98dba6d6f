// The K nearest neighbours so far of one query, in the shared memory of its block: for lists too long for registers.
// The K keys of the list and K candidates are sorted together, repeated keys are dropped, and the first K are the new
// list.
#pragma once

#include <cstdint>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "kann/neighbors.hpp"

#include "cuda/runtime/list_size.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::block {

struct Less {
  __device__ bool operator()(NeighborKey a, NeighborKey b) const { return a < b; }
};

/// K keys (a power of two), ascending, absent ones last, no key twice. All Threads threads of the block call every
/// function but at(); after clear(), load() and merge() the list is valid in all of them.
template <int K, int Threads>
class NearestList {
 public:
  static constexpr int k_items = 2 * K / Threads;  // keys per thread in a sort
  using Sort = cub::BlockMergeSort<NeighborKey, Threads, k_items>;
  using Scan = cub::BlockScan<int, Threads>;

  struct Shared {
    NeighborKey list[K];
    NeighborKey last[Threads];  // each thread's largest key
    union {
      typename Sort::TempStorage sort;
      typename Scan::TempStorage scan;
    };
  };

  /// If `shared` was in use before, a barrier is needed first.
  __device__ explicit NearestList(Shared& shared) : shared_(shared) {}

  __device__ void clear() {
    for (int j = threadIdx.x; j < K; j += Threads) shared_.list[j] = k_absent;
    __syncthreads();
  }
  __device__ void load(const NeighborKey* d_keys) {
    for (int j = threadIdx.x; j < K; j += Threads) shared_.list[j] = d_keys[j];
    __syncthreads();
  }
  __device__ void store(NeighborKey* d_keys) const {
    for (int j = threadIdx.x; j < K; j += Threads) d_keys[j] = shared_.list[j];
  }
  __device__ NeighborKey at(std::int64_t place) const { return shared_.list[place]; }

  /// Merges the candidates key_at(0), …, key_at(count − 1) into the list, except absent ones and keys that it holds.
  /// key_at must not read `Shared`. K = 4, list 2 5 – –, candidates 5 3 3: 2 3 5 –.
  template <class KeyAt>
  __device__ void merge(std::int64_t count, KeyAt key_at) {
    for (std::int64_t begin = 0; begin < count; begin += K) merge_some(begin, count, key_at);
  }

  /// Writes the rows.k nearest as row `row`, with missing neighbours after the last key (id −1, infinite distance).
  __device__ void write(const ResultRows& rows, std::int64_t row) const {
    for (std::int64_t j = threadIdx.x; j < rows.k; j += Threads) {
      const NeighborKey key = j < K ? shared_.list[j] : k_absent;
      rows.d_ids[row * rows.k + j] = neighbor_id(key);
      rows.d_distances[row * rows.k + j] = neighbor_distance(key, rows.unit);
    }
  }

 private:
  /// Merges candidates [begin, min(begin + K, end)).
  template <class KeyAt>
  __device__ void merge_some(std::int64_t begin, std::int64_t end, KeyAt key_at) {
    // The list and the candidates, one after the other, in blocked order
    NeighborKey keys[k_items];
#pragma unroll
    for (int j = 0; j < k_items; ++j) {
      const int at = static_cast<int>(threadIdx.x) * k_items + j;
      const std::int64_t candidate = begin + at - K;
      keys[j] = at < K ? shared_.list[at] : candidate < end ? key_at(candidate) : k_absent;
    }
    Sort(shared_.sort).Sort(keys, Less());

    // Mark the first of equal keys; absent ones need no mark
    shared_.last[threadIdx.x] = keys[k_items - 1];
    __syncthreads();  // `last` is written, and the scan may reuse the sort's storage
    NeighborKey before = threadIdx.x > 0 ? shared_.last[threadIdx.x - 1] : k_absent;
    int places[k_items];
    int heads[k_items];
#pragma unroll
    for (int j = 0; j < k_items; ++j) {
      heads[j] = places[j] = keys[j] != before && keys[j] != k_absent;
      before = keys[j];
    }

    // Compact the distinct keys
    int distinct = 0;
    Scan(shared_.scan).ExclusiveSum(places, places, distinct);
#pragma unroll
    for (int j = 0; j < k_items; ++j)
      if (heads[j] && places[j] < K) shared_.list[places[j]] = keys[j];
    for (int j = distinct + static_cast<int>(threadIdx.x); j < K; j += Threads) shared_.list[j] = k_absent;
    __syncthreads();  // the list is written
  }

  Shared& shared_;
};

/// Calls f(K, Threads), integral constants, for the smallest list that holds `list_size` ≤ k_max_list neighbours.
/// list_size = 100: f(128, 64).
template <class F>
void with_list(std::int64_t list_size, F&& f) {
  using std::integral_constant;
  if (list_size <= 64) return f(integral_constant<int, 64>(), integral_constant<int, 32>());
  if (list_size <= 128) return f(integral_constant<int, 128>(), integral_constant<int, 64>());
  if (list_size <= 256) return f(integral_constant<int, 256>(), integral_constant<int, 128>());
  if (list_size <= 512) return f(integral_constant<int, 512>(), integral_constant<int, 256>());
  return f(integral_constant<int, 1024>(), integral_constant<int, 256>());
}

}  // namespace kann::cuda::block
