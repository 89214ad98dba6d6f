// The smallest squared distances from a query to consecutive points. Called by one thread per query.
#pragma once

#include <cmath>

#include "cuda/runtime/placed_point.hpp"
#include "cuda/thread/query.cuh"
#include "cuda/thread/smallest_values.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::thread {

/// The K smallest of value_at(0), …, value_at(count − 1). With K = 2, values 5 3 9 4 give 3 4.
template <int K, class T, class ValueAt>
__device__ __forceinline__ SmallestValues<K, T> smallest_of(int count, ValueAt value_at) {
  SmallestValues<K, T> smallest;
  for (int begin = 0; begin < count; begin += K) {
    T batch[K];
    if (begin + K <= count) {
#pragma unroll
      for (int j = 0; j < K; ++j) batch[j] = value_at(begin + j);
    } else {
#pragma unroll
      for (int j = 0; j < K; ++j) batch[j] = begin + j < count ? value_at(begin + j) : k_largest<T>;
    }
    smallest.offer(batch);
  }
  return smallest;
}

/// The K smallest squared distances to the points of the thread's window, except the query itself.
template <int K>
__device__ __forceinline__ SmallestValues<K> smallest_in(const PlacedPoint* d_data, const Window& window,
                                                         const Query& query) {
  const PlacedPoint* const d_begin = d_data + window.begin;
  return smallest_of<K, float>(static_cast<int>(window.end - window.begin), [&](int place) {
    const float sq_dist = query.sq_dist_to(d_begin[place]);
    return query.is(d_begin[place].index) ? INFINITY : sq_dist;
  });
}

}  // namespace kann::cuda::thread
