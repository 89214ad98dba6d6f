// The neighbours of one query by float32 distances that are exact: for clouds on a binary lattice, such as integers
// (geometry/lattice.hpp), where many points are equally far.
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/thread/nearest_list.cuh"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::exact {

/// Like Float32List, but with keys that hold the index of a point.
template <int K>
class ExactFloat32List {
 public:
  __device__ __forceinline__ explicit ExactFloat32List(const Query<float>& query) : query_(query) {}

  /// `nearest` is below exact_float32_limit().
  __device__ __forceinline__ void begin(float nearest) { limit_ = neighbor_key(nearest, 0xffffffffu); }

  __device__ __forceinline__ float box_limit() const { return sq_dist_of(limit_); }

  __device__ __forceinline__ bool any_may_enter(const NodeBox<float>& box) const {
    const float sq_dist = min_sq_dist<float>(box, query_.given(), query_.given());
    return __any_sync(warp::k_all_lanes, neighbor_key(sq_dist, box.min_index) < limit_);
  }

  template <int N, class Buffer>
  __device__ __forceinline__ void collect(Buffer& buffer, const PlacedPoint* d_points, std::uint32_t) const {
    const auto skip_none = [](std::uint32_t, float) { return false; };
    buffer.template collect<N>(d_points, query_, sq_dist_of(limit_), skip_none);
  }

  template <class Buffer>
  __device__ __forceinline__ void take(Buffer& buffer) {
    buffer.flush_distinct(query_, list_);
    if (list_.last() < limit_) limit_ = list_.last();
  }

  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const { list_.write(rows, row); }

 private:
  const Query<float>& query_;
  thread::NearestList<K> list_;
  NeighborKey limit_;  // no neighbour comes after it
};

}  // namespace kann::cuda::exact
