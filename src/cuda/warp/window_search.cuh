// The windows of a warp's 32 queries, each lane its own, all of one length.
#pragma once

#include "cuda/thread/smallest_values.cuh"
#include "cuda/warp/finds.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::warp {

/// The squared distance, infinite if the point is the query itself.
__device__ __forceinline__ float sq_dist_to_other(const thread::Query& query, const PlacedPoint& p) {
  const float sq_dist = query.sq_dist_to(p);
  return query.is(p.index) ? INFINITY : sq_dist;
}

/// The K smallest squared distances in the lane's window, but for the query itself.
template <int K>
__device__ __forceinline__ thread::SmallestValues<K> smallest_in(const PlacedPoint* d_data, const Window& window,
                                                                 const thread::Query& query) {
  thread::SmallestValues<K> smallest;
  const PlacedPoint* const d_begin = d_data + window.begin;
  const int count = static_cast<int>(window.end - window.begin);
  for (int begin = 0; begin < count; begin += K) {
    float batch[K];
    if (begin + K <= count) {
#pragma unroll
      for (int j = 0; j < K; ++j) batch[j] = sq_dist_to_other(query, d_begin[begin + j]);
    } else {
#pragma unroll
      for (int j = 0; j < K; ++j) batch[j] = begin + j < count ? sq_dist_to_other(query, d_begin[begin + j]) : INFINITY;
    }
    smallest.offer(batch);
  }
  return smallest;
}

/// Notes what lies within the bound in the lane's window. What there is no room for is put into the list meanwhile;
/// returns whether anything was.
template <bool SkipsItself, int K>
__device__ __forceinline__ bool look_through(const PlacedPoint* d_data, const Window& window,
                                             const thread::Query& query, float bound, FindsFor<K>& finds,
                                             thread::NearestList<K>& list) {
  bool kept_some = false;
  const PlacedPoint* const d_begin = d_data + window.begin;
  const int count = static_cast<int>(window.end - window.begin);
  constexpr int group = FindsFor<K>::k_group;
  for (int begin = 0; begin < count; begin += group) {
    if (finds.is_short()) {
      finds.template keep<false>(query, list);
      bound = fminf(bound, list.bound());
      kept_some = true;
    }
    if (begin + group <= count) {
      finds.template look_at_group<SkipsItself>(d_begin + begin, query, bound);
    } else {
      for (int j = begin; j < count; ++j) finds.template look_at<SkipsItself>(d_begin[j], query, bound);
    }
  }
  return kept_some;
}

/// Puts the nearest of the window into the list, which is empty.
template <int K>
__device__ __forceinline__ void begin_list(const PlacedPoint* d_data, const Window& window, const thread::Query& query,
                                           FindsFor<K>& finds, thread::NearestList<K>& list) {
  const thread::SmallestValues<K> smallest = smallest_in<K>(d_data, window, query);
  bool plain = !look_through<true>(d_data, window, query, smallest.last(), finds, list) && finds.count() == K;
#pragma unroll
  for (int j = 1; j < K; ++j) plain &= smallest[j] != smallest[j - 1];
  if (__all_sync(k_all_lanes, plain)) {
    finds.make_list(smallest, list);
  } else {
    finds.template keep<true>(query, list);
  }
}

/// Merges the window into the list.
template <int K>
__device__ __forceinline__ void merge_window(const PlacedPoint* d_data, const Window& window,
                                             const thread::Query& query, FindsFor<K>& finds,
                                             thread::NearestList<K>& list) {
  look_through<false>(d_data, window, query, list.bound(), finds, list);
  finds.template keep<false>(query, list);
}

}  // namespace kann::cuda::warp
