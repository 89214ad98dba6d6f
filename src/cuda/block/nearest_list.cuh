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
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/float_root.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::block {

/// What a list needs to know of its keys: the absent one, the distance to write, and a key in the order of (distance,
/// index), whose distance distance_in() returns.
template <class Key>
struct KeyTraits;

template <>
struct KeyTraits<NeighborKey> {
  __device__ static NeighborKey absent() { return k_absent; }
  __device__ static NeighborKey by_distance(NeighborKey key, double unit) {
    return neighbor_key(neighbor_distance(key, unit), static_cast<std::uint32_t>(key));
  }
  __device__ static float distance_in(NeighborKey key) { return sq_dist_of(key); }
  __device__ static std::int32_t id_in(NeighborKey key) { return neighbor_id(key); }
};

template <>
struct KeyTraits<thread::ExactKey> {
  using Key = thread::ExactKey;
  __device__ static Key absent() { return Key(); }
  __device__ static Key by_distance(Key key, double) {
    key.high = __float_as_uint(thread::float_root(key.sq_dist()));
    key.low = 0;
    return key;
  }
  __device__ static float distance_in(const Key& key) { return __uint_as_float(key.high); }
  __device__ static std::int32_t id_in(const Key& key) { return static_cast<std::int32_t>(key.index); }
};

/// K keys (a power of two), ascending, absent ones last, no key twice. All Threads threads of the block call every
/// function but at(); after clear(), load() and merge() the list is valid in all of them.
template <int K, int Threads, class Key = NeighborKey>
class NearestList {
 public:
  using Traits = KeyTraits<Key>;
  static constexpr int k_items = 2 * K / Threads;  // keys per thread in a sort
  using Sort = cub::BlockMergeSort<Key, Threads, k_items>;
  using Scan = cub::BlockScan<int, Threads>;

  struct Shared {
    Key list[K];
    Key last[Threads];  // each thread's largest key
    union {
      typename Sort::TempStorage sort;
      typename Scan::TempStorage scan;
    };
  };

  /// If `shared` was in use before, a barrier is needed first.
  __device__ explicit NearestList(Shared& shared) : shared_(shared) {}

  __device__ void clear() {
    for (int j = threadIdx.x; j < K; j += Threads) shared_.list[j] = Traits::absent();
    __syncthreads();
  }
  __device__ void load(const Key* d_keys) {
    for (int j = threadIdx.x; j < K; j += Threads) shared_.list[j] = d_keys[j];
    __syncthreads();
  }
  __device__ void store(Key* d_keys) const {
    for (int j = threadIdx.x; j < K; j += Threads) d_keys[j] = shared_.list[j];
  }
  __device__ Key at(std::int64_t place) const { return shared_.list[place]; }

  /// Merges the candidates key_at(0), …, key_at(count − 1) into the list, except absent ones and keys that it holds.
  /// key_at must not read `Shared`. K = 4, list 2 5 – –, candidates 5 3 3: 2 3 5 –.
  template <class KeyAt>
  __device__ void merge(std::int64_t count, KeyAt key_at) {
    for (std::int64_t begin = 0; begin < count; begin += K) merge_some(begin, count, key_at);
  }

  /// Writes the rows.k nearest as row `row`, in the order of (distance, index), with missing neighbours after the last
  /// key (id −1, infinite distance). The list is lost.
  __device__ void write(const ResultRows& rows, std::int64_t row) {
    const Key absent = Traits::absent();
    for (int j = threadIdx.x; j < K; j += Threads) {
      const Key key = shared_.list[j];
      shared_.list[j] = j < rows.k && !(key == absent) ? Traits::by_distance(key, rows.unit) : absent;
    }
    __syncthreads();  // the list is written

    // Squared distances that differ may have the same root
    bool falls = false;
    for (int j = threadIdx.x + 1; j < K; j += Threads) falls |= shared_.list[j] < shared_.list[j - 1];
    if (__syncthreads_or(falls)) sort_list();

    for (std::int64_t j = threadIdx.x; j < rows.k; j += Threads) {
      const Key key = j < K ? shared_.list[j] : absent;
      rows.d_ids[row * rows.k + j] = key == absent ? k_missing_id : Traits::id_in(key);
      rows.d_distances[row * rows.k + j] = key == absent ? INFINITY : Traits::distance_in(key);
    }
  }

 private:
  /// Merges candidates [begin, min(begin + K, end)).
  template <class KeyAt>
  __device__ void merge_some(std::int64_t begin, std::int64_t end, KeyAt key_at) {
    // The list and the candidates, one after the other, in blocked order
    Key keys[k_items];
#pragma unroll
    for (int j = 0; j < k_items; ++j) {
      const int at = static_cast<int>(threadIdx.x) * k_items + j;
      const std::int64_t candidate = begin + at - K;
      keys[j] = at < K ? shared_.list[at] : candidate < end ? key_at(candidate) : Traits::absent();
    }
    Sort(shared_.sort).Sort(keys, [](const Key& a, const Key& b) { return a < b; });

    // Mark the first of equal keys; absent ones need no mark
    shared_.last[threadIdx.x] = keys[k_items - 1];
    __syncthreads();  // `last` is written, and the scan may reuse the sort's storage
    Key before = threadIdx.x > 0 ? shared_.last[threadIdx.x - 1] : Traits::absent();
    int places[k_items];
    int heads[k_items];
#pragma unroll
    for (int j = 0; j < k_items; ++j) {
      heads[j] = places[j] = !(keys[j] == before) && !(keys[j] == Traits::absent());
      before = keys[j];
    }

    // Compact the distinct keys
    int distinct = 0;
    Scan(shared_.scan).ExclusiveSum(places, places, distinct);
#pragma unroll
    for (int j = 0; j < k_items; ++j)
      if (heads[j] && places[j] < K) shared_.list[places[j]] = keys[j];
    for (int j = distinct + static_cast<int>(threadIdx.x); j < K; j += Threads) shared_.list[j] = Traits::absent();
    __syncthreads();  // the list is written
  }

  /// Sorts the list.
  __device__ void sort_list() {
    Key keys[k_items];
#pragma unroll
    for (int j = 0; j < k_items; ++j) {
      const int at = static_cast<int>(threadIdx.x) * k_items + j;
      keys[j] = at < K ? shared_.list[at] : Traits::absent();
    }
    Sort(shared_.sort).Sort(keys, [](const Key& a, const Key& b) { return a < b; });
#pragma unroll
    for (int j = 0; j < k_items; ++j) {
      const int at = static_cast<int>(threadIdx.x) * k_items + j;
      if (at < K) shared_.list[at] = keys[j];
    }
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
