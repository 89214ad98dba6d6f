// The neighbours of one query by their float32 distances, which decide nearly all queries: if no point that was left
// out is so near the last neighbour that float64 might put it first.
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/thread/nearest_list.cuh"
#include "cuda/thread/result_row.cuh"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::exact {

/// Each thread has its own. Keys hold the place of a point.
template <int K, class Real>
class Float32List {
 public:
  static constexpr int k_capacity = K;
  /// Where more are needed, many points are equally far, such as at one place, and float32 will not decide.
  static constexpr int k_max_flushes = 64;

  __device__ __forceinline__ Float32List(const Search<Real>& search, const Query<Real>& query)
      : tree_(search.tree), query_(query) {}

  /// Begins with the K-th smallest float32 squared distance of some points, or infinity.
  __device__ __forceinline__ void begin(float nearest) { lower_bound(nearest); }

  /// Ends the search: nothing is within the bound any more, and the query is not decided.
  __device__ __forceinline__ void give_up() {
    bound_ = -1;
    limit_ = -1;
  }

  /// The maximum float32 squared distance of a neighbour.
  __device__ __forceinline__ float bound() const { return bound_; }

  /// The maximum squared distance from the query to a box that may hold a neighbour.
  __device__ __forceinline__ Real box_limit() const {
    if constexpr (std::is_same_v<Real, float>) return bound_;
    if constexpr (std::is_same_v<Real, double>) return limit_;
  }

  /// Whether the box may hold a neighbour of any query of the warp. Called by all 32 lanes; valid in all.
  __device__ __forceinline__ bool any_may_enter(const NodeBox<Real>& box) const {
    return __any_sync(warp::k_all_lanes, min_sq_dist<Real>(box, query_.given(), query_.given()) <= box_limit());
  }

  /// Collects those of N points, the first of which is at `place`, that are within the bound.
  template <int N, class Buffer>
  __device__ __forceinline__ void collect(Buffer& buffer, const PlacedPoint* d_points, std::uint32_t place) const {
    buffer.template collect_places<N>(d_points, place, query_, bound_);
  }

  /// Moves the candidates of the buffer into the list.
  template <class Buffer>
  __device__ __forceinline__ void take(Buffer& buffer) {
    buffer.take_if(
        [&](NeighborKey key) {
          const bool closer = key < list_.last();
          if (!closer) leave_out(sq_dist_of(key));
          return closer && !is_query(key);
        },
        [&](NeighborKey key) {
          if (list_.last() != k_absent) leave_out(list_.bound());
          list_.insert(key);
        });
    lower_bound(list_.bound());
  }

  /// Whether the first `count` ≤ K points of the list are the `count` nearest. Call last.
  __device__ __forceinline__ bool is_decided(std::int64_t count) const {
    float last = list_.bound(), next = left_out_;
#pragma unroll
    for (int j = 1; j < K; ++j) {
      if (j != count) continue;
      last = sq_dist_of(list_[j - 1]);
      next = sq_dist_of(list_[j]);  // NaN if it is absent
    }
    return bound_ >= 0 && !(next <= query_.filter_above(query_.exact_above(last)));
  }

  /// Writes the row of a query that is decided.
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const {
    constexpr int at_once = K < 8 ? K : 8;  // points are loaded before the first is used
    thread::ResultRow<K> result;
#pragma unroll
    for (int begin = 0; begin < K; begin += at_once) {
      Point<Real> points[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (is_in_row(begin + j, rows)) points[j] = tree_.d_given[static_cast<std::uint32_t>(list_[begin + j])];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (!is_in_row(begin + j, rows)) continue;
        const thread::ExactKey key = query_.key_of(points[j]);
        result.set(begin + j, thread::float_root(key.sq_dist()), key.index);
      }
    }
    result.write(rows, row);
  }

 private:
  /// Whether the point is the query itself, which is no neighbour: its index need only be read at distance 0.
  __device__ __forceinline__ bool is_query(NeighborKey key) const {
    return key >> 32 == 0 && query_.is(tree_.d_points[static_cast<std::uint32_t>(key)].index);
  }

  __device__ __forceinline__ bool is_in_row(int j, const ResultRows& rows) const {
    return j < rows.k && list_[j] != k_absent;
  }

  __device__ __forceinline__ void leave_out(float sq_dist) { left_out_ = fminf(left_out_, sq_dist); }

  /// If there are K points whose float32 squared distance is at most `last`.
  __device__ __forceinline__ void lower_bound(float last) {
    const double limit = query_.exact_above(last);
    bound_ = fminf(bound_, query_.filter_above(limit));
    if constexpr (std::is_same_v<Real, double>) limit_ = fmin(limit_, limit);
  }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  thread::NearestList<K> list_;
  float bound_ = INFINITY;
  double limit_ = INFINITY;  // the exact squared distance of a neighbour is at most this; only if Real is double
  float left_out_ = NAN;     // the smallest float32 squared distance that is not in the list; NaN if there is none
};

}  // namespace kann::cuda::exact
