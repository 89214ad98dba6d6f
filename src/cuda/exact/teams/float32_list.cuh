// The neighbours of one query by their float32 distances. These decide nearly all queries: all but those for which a
// point that was left out is so near the last neighbour that float64 might put it first.
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/thread/result_row.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/nearest_buffer.cuh"

namespace kann::cuda::exact {

/// One per lane. All 32 lanes of a warp call its functions, unless they say otherwise. `drops_self`: whether the
/// queries are data points, which are not their own neighbours.
template <int K, class Real, bool drops_self>
class Float32List {
 public:
  using Coordinate = Real;
  static constexpr int k_size = K;
  static constexpr bool k_is_exact = false;
  /// The maximum number of candidates of a lane, including its neighbours so far.
  static constexpr int k_capacity = K <= 4 ? 12 : K <= 8 ? 16 : 28;
  using Buffer = warp::NearestBuffer<K, k_capacity>;
  using Shared = typename Buffer::Shared;

  __device__ __forceinline__ Float32List(const Search<Real>& search, const Query<Real>& query, Shared& s_shared)
      : tree_(search.tree), query_(query), nearest_(s_shared) {}

  /// The number of a point that append() is to be called with.
  __device__ __forceinline__ static std::uint32_t number_of(std::uint32_t place, std::uint32_t) { return place; }

  /// Lowers the bound to what follows from K points whose float32 squared distances are at most `last`. Nothing follows
  /// if `last` is infinite or NaN.
  __device__ __forceinline__ void tighten(float last) {
    if constexpr (std::is_same_v<Real, float>) {
      // One instruction gives at least filter_above(exact_above(last)) of GivenFilter: (1 + 2⁻²¹)² < 1 + 2⁻¹⁹
      bound_ = fminf(bound_, __fmaf_ru(last, 1 + 0x1p-19f, 0x1p-145f));
    } else {
      const double limit = query_.exact_above(last);
      bound_ = fminf(bound_, query_.filter_above(limit));
      limit_ = fmin(limit_, limit);
    }
  }

  /// The maximum float32 squared distance of a neighbour.
  __device__ __forceinline__ float bound() const { return bound_; }

  /// The maximum squared distance from the query to a box that may hold a neighbour.
  __device__ __forceinline__ Real box_limit() const {
    if constexpr (std::is_same_v<Real, float>) return bound_;
    if constexpr (std::is_same_v<Real, double>) return limit_;
  }

  /// Whether the box may hold a neighbour of any query of the warp. Valid in all lanes.
  __device__ __forceinline__ bool any_may_enter(const NodeBox<Real>& box) const {
    return __any_sync(warp::k_all_lanes, min_sq_dist<Real>(box, query_.given(), query_.given()) <= box_limit());
  }

  /// Whether `count` more candidates fit. May be called by some of the lanes, as append().
  __device__ __forceinline__ bool has_free(int count) const { return nearest_.has_free(count); }

  /// Appends the point at a place if it is within the bound, and not the query itself. No place may be appended twice.
  __device__ __forceinline__ void append(float sq_dist, std::uint32_t place) {
    if (drops_self && sq_dist == 0 && query_.is(tree_.d_points[place].index)) sq_dist = NAN;
    nearest_.append_within(bound_, sq_dist, place);
  }

  /// Keeps only the nearest candidates, and lowers the bound.
  __device__ __forceinline__ void flush() { tighten(nearest_.keep_nearest()); }

  /// Whether K points lie at the query, as far as float32 tells. Call after flush().
  __device__ __forceinline__ bool are_at_query() const { return nearest_.count() == K && nearest_.below(K - 1) == 0; }

  /// Whether the first `count` ≤ K neighbours are the `count` nearest points. This and write() are to be called after
  /// flush().
  __device__ __forceinline__ bool is_decided(std::int64_t count) const {
    if (count == 0) return true;
    const float next = count < nearest_.count() ? nearest_.below(static_cast<int>(count)) : nearest_.left_out();
    if (isnan(next)) return true;
    const int last = static_cast<int>(count) - 1;
    return last < nearest_.count() && next > query_.filter_above(query_.exact_above(nearest_.above(last)));
  }

  /// Writes the row of a query that is decided. Returns false, and writes nothing, if the rounding of a distance is not
  /// certain. That concerns one row in 10⁵: searching for it again costs less than code for it here. May be called by
  /// some of the lanes.
  __device__ __forceinline__ bool write(const ResultRows& rows, std::int64_t row) const {
    const int count = min(nearest_.count(), static_cast<int>(min(rows.k, std::int64_t{K})));
    constexpr int at_once = K < 8 ? K : 8;  // points are loaded before the first is used
    thread::ResultRow<K> result;
    bool are_certain = true;
#pragma unroll
    for (int begin = 0; begin < K; begin += at_once) {
      Point<Real> points[at_once]{};
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (begin + j < count) points[j] = tree_.d_given[nearest_.number(begin + j)];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        const thread::ExactKey key = query_.key_of(points[j]);
        const thread::RoughRoot root(key.sq_dist());
        const bool is_present = begin + j < count;
        are_certain &= root.is_certain() || !is_present;
        result.set(begin + j, root.value(), key.index, is_present);
      }
    }
    if (are_certain) result.write(rows, row);
    return are_certain;
  }

 private:
  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  Buffer nearest_;
  float bound_ = INFINITY;
  double limit_ = INFINITY;  // the exact squared distance of a neighbour is at most this; only if Real is double
};

}  // namespace kann::cuda::exact
