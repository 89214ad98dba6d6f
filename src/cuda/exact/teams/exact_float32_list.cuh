// The neighbours of one query by float32 distances that are exact: for clouds on a binary lattice, such as integers
// (geometry/lattice.hpp), where many points are equally far and Float32List does not decide.
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/thread/nearest_list.cuh"
#include "cuda/warp/candidate_buffer.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// As Float32List, but the number of a point is its index, and all queries are decided. A point is left out as soon as
/// K other points are known to come before it by (squared distance, index).
template <int K>
class ExactFloat32List {
 public:
  using Coordinate = float;
  static constexpr int k_size = K;
  static constexpr bool k_is_exact = true;
  /// The maximum number of candidates of a lane, besides its neighbours so far.
  static constexpr int k_capacity = K <= 4 ? 12 : K <= 8 ? 16 : 28;
  using Buffer = warp::CandidateBuffer<k_capacity>;
  using Shared = typename Buffer::Shared;

  __device__ __forceinline__ ExactFloat32List(const Search<float>&, const Query<float>& query, Shared& s_shared)
      : query_(query), buffer_(s_shared) {}

  /// The number of a point that append() is to be called with.
  __device__ __forceinline__ static std::uint32_t number_of(std::uint32_t, std::uint32_t index) { return index; }

  /// Begins with K points whose squared distances are at most `last`, which is below exact_float32_limit().
  __device__ __forceinline__ void tighten(float last) { lower_limit(neighbor_key(last, 0xffffffffu)); }

  /// The maximum squared distance of a neighbour, and of a box that may hold one.
  __device__ __forceinline__ float bound() const { return sq_dist_of(limit_); }
  __device__ __forceinline__ float box_limit() const { return bound(); }

  /// Whether the box may hold a neighbour of any query of the warp. Valid in all lanes.
  __device__ __forceinline__ bool any_may_enter(const NodeBox<float>& box) const {
    const float sq_dist = min_sq_dist<float>(box, query_.given(), query_.given());
    return __any_sync(warp::k_all_lanes, neighbor_key(sq_dist, box.min_index) < limit_);
  }

  /// Whether a point of that index, at least that far from all queries of the warp, may be a neighbour of any of them.
  __device__ __forceinline__ bool any_may_take(float sq_dist, std::uint32_t index) const {
    return neighbor_key(sq_dist, index) < warp_limit_;
  }

  __device__ __forceinline__ bool has_free(int count) const { return buffer_.has_free(count); }

  /// Appends the point of that index if it may be a neighbour. No point may be appended twice.
  __device__ __forceinline__ void append(float sq_dist, std::uint32_t index) {
    if (neighbor_key(sq_dist, index) < limit_) buffer_.append(sq_dist, index);
  }

  /// Keeps only the nearest candidates, without the query itself, and lowers the limit.
  __device__ __forceinline__ void flush() {
    buffer_.flush_distinct(query_, list_);
    lower_limit(list_.last());
  }

  /// Writes the row of a query. Call after flush(). May be called by some of the lanes.
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const { list_.write(rows, row); }

 private:
  __device__ __forceinline__ void lower_limit(NeighborKey limit) {
    if (limit < limit_) limit_ = limit;
    const auto sq_dist = static_cast<std::uint32_t>(limit_ >> 32), last = warp::reduce_max(sq_dist);
    const auto index = static_cast<std::uint32_t>(limit_);
    warp_limit_ = NeighborKey{last} << 32 | warp::reduce_max(sq_dist == last ? index : 0);
  }

  const Query<float>& query_;
  thread::NearestList<K> list_;
  Buffer buffer_;
  NeighborKey limit_ = k_absent;  // no neighbour comes after it
  NeighborKey warp_limit_;        // the last limit of any lane
};

}  // namespace kann::cuda::exact
