// The neighbours of one query by their exact distances: for the queries that float32 does not decide, such as those of
// lattices, where many points are equally far.
#pragma once

#include <limits>

#include "cuda/exact/query.cuh"
#include "cuda/thread/exact_list.cuh"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::exact {

/// As Float32List.
template <int K, class Real>
class Float64List {
 public:
  static constexpr int k_capacity = K;
  static constexpr int k_max_flushes = std::numeric_limits<int>::max();

  __device__ __forceinline__ Float64List(const Search<Real>& search, const Query<Real>& query)
      : tree_(search.tree), query_(query) {}

  __device__ __forceinline__ void begin(float nearest) {
    set_limit(thread::ExactKey({query_.exact_above(nearest), 0xffffffffu}));
  }

  __device__ __forceinline__ void give_up() {}

  __device__ __forceinline__ float bound() const { return bound_; }

  __device__ __forceinline__ Real box_limit() const {
    if constexpr (std::is_same_v<Real, float>) return bound_;
    if constexpr (std::is_same_v<Real, double>) return limit_.sq_dist();
  }

  /// A float32 distance decides unless it is so near the bound that float64 might decide otherwise: 2⁻¹⁸ is more than
  /// twice the error of the filter.
  __device__ __forceinline__ bool any_may_enter(const NodeBox<Real>& box) const {
    if constexpr (std::is_same_v<Real, float>) {
      const float sq_dist = min_sq_dist<float>(box, query_.given(), query_.given());
      if (__any_sync(warp::k_all_lanes, sq_dist < fmaf(bound_, 1 - 0x1p-18f, -0x1p-145f))) return true;
      const bool is_near = sq_dist <= bound_;
      if (!__any_sync(warp::k_all_lanes, is_near)) return false;
      return __any_sync(warp::k_all_lanes, is_near && query_.min_key(box) < limit_);
    } else {
      return __any_sync(warp::k_all_lanes, query_.min_key(box) < limit_);
    }
  }

  template <int N, class Buffer>
  __device__ __forceinline__ void collect(Buffer& buffer, const PlacedPoint* d_points, std::uint32_t place) const {
    buffer.template collect_places<N>(d_points, place, query_, bound_);
  }

  template <class Buffer>
  __device__ __forceinline__ void take(Buffer& buffer) {
    buffer.take_if([&](NeighborKey stored) { return sq_dist_of(stored) <= bound_; },
                   [&](NeighborKey stored) {
                     const Point<Real> point = tree_.d_given[static_cast<std::uint32_t>(stored)];
                     const thread::ExactKey key = query_.key_of(point);
                     if (query_.is(point.index) || !(key < list_.last())) return;
                     list_.insert(key);
                     if (list_.last() < limit_) set_limit(list_.last());
                   });
  }

  __device__ __forceinline__ bool is_decided(std::int64_t) const { return true; }

  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const { list_.write(rows, row); }

 private:
  __device__ __forceinline__ void set_limit(const thread::ExactKey& limit) {
    limit_ = limit;
    bound_ = query_.filter_above(limit.sq_dist());
  }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  thread::ExactList<K> list_;
  thread::ExactKey limit_;  // no neighbour comes after it
  float bound_ = INFINITY;
};

}  // namespace kann::cuda::exact
