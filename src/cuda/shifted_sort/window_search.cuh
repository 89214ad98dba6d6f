// The windows of a warp's 32 queries, each lane its own, all of one length.
#pragma once

#include "cuda/names.hpp"
#include "cuda/shifted_sort/select.hpp"
#include "cuda/thread/smallest_values.cuh"
#include "cuda/warp/candidate_buffer.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::warp {

/// What a lane's query has been offered in shift 0, where later orders tell.
struct Seen {
  const PlacedPoint* d_first;  ///< the order of shift 0 if later ones name its places; null: they name rows
  std::uint32_t begin, count;  ///< its window there; none where they name rows

  __device__ __forceinline__ Seen(const Windows& w, std::int64_t slot) : d_first(w.d_first), begin(0), count(0) {
    if (!d_first) return;
    const Window window = window_around(w.d_first_ranks[slot], w.window, w.data_count);
    begin = static_cast<std::uint32_t>(window.begin);
    count = static_cast<std::uint32_t>(window.end - window.begin);
  }

  /// The row of a point of a later order.
  __device__ __forceinline__ std::uint32_t row_of(std::uint32_t index) const {
    return d_first ? d_first[index].index : index;
  }
};

/// The K smallest of value_at(0), …, value_at(count − 1).
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

/// The K smallest squared distances in the lane's window, but for the query itself.
template <int K>
__device__ __forceinline__ thread::SmallestValues<K> smallest_in(const PlacedPoint* d_data, const Window& window,
                                                                 const thread::Query& query) {
  const PlacedPoint* const d_begin = d_data + window.begin;
  return smallest_of<K, float>(static_cast<int>(window.end - window.begin), [&](int place) {
    const float sq_dist = query.sq_dist_to(d_begin[place]);
    return query.is(d_begin[place].index) ? INFINITY : sq_dist;
  });
}

/// The same with places: of each squared distance the lowest bits, as many as `places` has, are replaced by the
/// candidate's place among the `count`. What is sorted need not be looked up again.
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

/// Looks through `count` candidates, k_group at a time; calls flush(), which may lower the bound, where some lane
/// has no room for that many finds.
template <int k_group, int k_capacity, class PassOver, class MakeRoom>
__device__ __forceinline__ void look_through(const PlacedPoint* d_candidates, int count, const thread::Query& query,
                                             float& bound, CandidateBuffer<k_capacity>& buffer, PassOver pass_over,
                                             MakeRoom flush) {
  for (int left = count; left > 0; left -= k_group) {
    if (buffer.lacks_room(k_group)) flush();
    if (left >= k_group) {
      buffer.template collect<k_group>(d_candidates, query, bound, pass_over);
    } else {
      for (int j = 0; j < left; ++j) buffer.template collect<1>(d_candidates + j, query, bound, pass_over);
    }
    d_candidates += k_group;
  }
}

/// Puts what lies within `bound` in the lane's window into its list, which is empty.
template <int K, int k_capacity>
__device__ __forceinline__ void insert_within(const PlacedPoint* d_candidates, int count, const thread::Query& query,
                                              float bound, CandidateBuffer<k_capacity>& buffer,
                                              thread::NearestList<K>& list) {
  const auto none = [](std::uint32_t) { return false; };
  const auto flush = [&] {
    buffer.flush_distinct(query, list);
    bound = fminf(bound, list.bound());
  };
  look_through<4>(d_candidates, count, query, bound, buffer, none, flush);
  buffer.flush_distinct(query, list);
}

/// The nearest of the lane's window.
template <int K, int k_capacity>
__device__ __forceinline__ thread::NearestList<K> nearest_list_in(const PlacedPoint* d_data, const Window& window,
                                                                  const thread::Query& query,
                                                                  CandidateBuffer<k_capacity>& buffer) {
  thread::NearestList<K> list;
  const PlacedPoint* const d_candidates = d_data + window.begin;
  const int count = static_cast<int>(window.end - window.begin);
  const std::uint32_t places = ~std::uint32_t{0} >> __clz((count - 1) | 1);
  const thread::SmallestValues<K, std::uint32_t> nearest = nearest_places<K>(d_candidates, count, places, query);

  // The bits that are left tell which are the nearest unless they are equal for the last and one left out
  const std::uint32_t last = nearest.last() | places;
  if (!__all_sync(k_all_lanes, last < nearest.left_out())) {
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
__device__ __forceinline__ void merge_window(const PlacedPoint* d_data, const Window& window, const Seen& seen,
                                             const thread::Query& query, CandidateBuffer<k_capacity>& buffer,
                                             thread::NearestList<K>& list) {
  const auto is_seen = [&](std::uint32_t index) { return index - seen.begin < seen.count; };
  const auto row_of = [&](std::uint32_t index) { return seen.row_of(index); };
  float bound = list.bound();
  const auto flush = [&] {
    buffer.flush_new(query, row_of, list);
    bound = list.bound();
  };
  look_through<k_group>(d_data + window.begin, static_cast<int>(window.end - window.begin), query, bound, buffer,
                        is_seen, flush);
  buffer.flush_new(query, row_of, list);
}

}  // namespace kann::cuda::warp
