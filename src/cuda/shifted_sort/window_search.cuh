// Searches the windows of a warp's 32 queries, one query per lane. All windows of a shift have the same length.
#pragma once

#include "cuda/runtime/names.hpp"
#include "cuda/shifted_sort/select.hpp"
#include "cuda/thread/query.cuh"
#include "cuda/thread/smallest_values.cuh"
#include "cuda/warp/candidate_buffer.cuh"
#include "geometry/window.hpp"

namespace kann::cuda {

/// The window of a lane's query in shift 0. Searches of later windows skip its points.
struct FirstWindow {
  const PlacedPoint* d_first;  ///< the order of shift 0
  std::uint32_t begin, count;  ///< the window's places in that order

  __device__ __forceinline__ FirstWindow(const Windows& w, std::int64_t slot) : d_first(w.d_first) {
    const Window window = window_around(w.d_first_ranks[slot], w.window, w.data_count);
    begin = static_cast<std::uint32_t>(window.begin);
    count = static_cast<std::uint32_t>(window.end - window.begin);
  }

  /// Whether the window holds a point of a later order.
  __device__ __forceinline__ bool has(std::uint32_t index) const { return index - begin < count; }

  /// The row of a point of a later order.
  __device__ __forceinline__ std::uint32_t row_of(std::uint32_t index) const { return d_first[index].index; }
};

/// The K smallest of value_at(0), …, value_at(count − 1). With K = 2, values 5 3 9 4 give 3 4.
template <int K, class T, class ValueAt>
__device__ __forceinline__ thread::SmallestValues<K, T> smallest_of(int count, ValueAt value_at) {
  thread::SmallestValues<K, T> smallest;
  for (int begin = 0; begin < count; begin += K) {
    T batch[K];
    if (begin + K <= count) {
#pragma unroll
      for (int j = 0; j < K; ++j) batch[j] = value_at(begin + j);
    } else {
#pragma unroll
      for (int j = 0; j < K; ++j) batch[j] = begin + j < count ? value_at(begin + j) : thread::k_largest<T>;
    }
    smallest.offer(batch);
  }
  return smallest;
}

/// The K smallest squared distances to `count` candidates. The lowest bits of each, those of the mask `places`, are
/// replaced by the candidate's place, so that sorting moves one word per candidate. The query itself comes last.
template <int K>
__device__ __forceinline__ thread::SmallestValues<K, std::uint32_t> nearest_places(const PlacedPoint* d_candidates,
                                                                                   int count, std::uint32_t places,
                                                                                   const thread::Query& query) {
  return smallest_of<K, std::uint32_t>(count, [&](int place) {
    const PlacedPoint p = d_candidates[place];
    const std::uint32_t value = (__float_as_uint(query.sq_dist_to(p)) & ~places) | static_cast<std::uint32_t>(place);
    return query.is(p.index) ? thread::k_largest<std::uint32_t> : value;
  });
}

/// Collects from `count` candidates, k_group at a time. Calls flush(), which may lower the bound, if any lane has fewer
/// than k_group free entries. Called by all 32 lanes with the same `count`.
template <int k_group, int k_capacity, class Skip, class Flush>
__device__ __forceinline__ void collect_all(const PlacedPoint* d_candidates, int count, const thread::Query& query,
                                            float& bound, warp::CandidateBuffer<k_capacity>& buffer, Skip skip,
                                            Flush flush) {
  for (int left = count; left > 0; left -= k_group) {
    if (buffer.needs_flush(k_group)) flush();
    if (left >= k_group) {
      buffer.template collect<k_group>(d_candidates, query, bound, skip);
    } else {
      for (int j = 0; j < left; ++j) buffer.template collect<1>(d_candidates + j, query, bound, skip);
    }
    d_candidates += k_group;
  }
}

/// Inserts the candidates within `bound` into the lane's list, which is empty. Called by all 32 lanes, like
/// the functions below.
template <int K, int k_capacity>
__device__ __forceinline__ void insert_within(const PlacedPoint* d_candidates, int count, const thread::Query& query,
                                              float bound, warp::CandidateBuffer<k_capacity>& buffer,
                                              thread::NearestList<K>& list) {
  const auto skip_none = [](std::uint32_t) { return false; };
  const auto flush = [&] {
    buffer.flush_distinct(query, list);
    bound = fminf(bound, list.bound());
  };
  collect_all<4>(d_candidates, count, query, bound, buffer, skip_none, flush);
  buffer.flush_distinct(query, list);
}

/// The list of the K nearest points of the lane's window.
template <int K, int k_capacity>
__device__ __forceinline__ thread::NearestList<K> nearest_list_in(const PlacedPoint* d_data, const Window& window,
                                                                  const thread::Query& query,
                                                                  warp::CandidateBuffer<k_capacity>& buffer) {
  thread::NearestList<K> list;
  const PlacedPoint* const d_candidates = d_data + window.begin;
  const int count = static_cast<int>(window.end - window.begin);
  const std::uint32_t places = ~std::uint32_t{0} >> __clz((count - 1) | 1);
  const thread::SmallestValues<K, std::uint32_t> nearest = nearest_places<K>(d_candidates, count, places, query);

  // The remaining bits decide which points are the nearest, unless they are equal for the last and one that is left out
  const std::uint32_t last = nearest.last() | places;
  if (!__all_sync(warp::k_all_lanes, last < nearest.left_out())) {
    const std::uint32_t infinite = __float_as_uint(INFINITY);
    insert_within(d_candidates, count, query, __uint_as_float(last < infinite ? last : infinite), buffer, list);
    return list;
  }
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const PlacedPoint p = d_candidates[nearest[j] & places];
    list.set(j, neighbor_key(query.sq_dist_to(p), p.index));
  }
  list.sort();
  return list;
}

/// Merges the lane's window of a later order into its list, k_group candidates at a time.
template <int k_group, int K, int k_capacity>
__device__ __forceinline__ void merge_window(const PlacedPoint* d_data, const Window& window, const FirstWindow& first,
                                             const thread::Query& query, warp::CandidateBuffer<k_capacity>& buffer,
                                             thread::NearestList<K>& list) {
  const auto skip = [&](std::uint32_t index) { return first.has(index); };
  const auto row_of = [&](std::uint32_t index) { return first.row_of(index); };
  float bound = list.bound();
  const auto flush = [&] {
    buffer.flush_new(query, row_of, list);
    bound = list.bound();
  };
  collect_all<k_group>(d_data + window.begin, static_cast<int>(window.end - window.begin), query, bound, buffer, skip,
                       flush);
  buffer.flush_new(query, row_of, list);
}

}  // namespace kann::cuda
