// Up to 32 queries that follow each other, for which a warp searches one after another. The lanes find their points,
// places and first bounds together.
#pragma once

#include <cstdint>

#include "cuda/exact/query.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/counted_bound.cuh"
#include "cuda/warp/lane.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::exact {

/// The queries of a warp, in its shared memory, since all lanes have the same queries and registers are few.
struct QueryRunMemory {
  std::uint32_t slots[warp::k_lanes];
  PlacedPoint points[warp::k_lanes];
  std::uint32_t places[warp::k_lanes];  // among the data
};

/// The queries of one warp, which follow each other. All 32 lanes call every function, with the same arguments.
template <class Lists, class Real>
class QueryRun {
 public:
  /// Loads queries [begin, end), at most 32, of those whose slots are `d_slots`, or of all if that is null.
  __device__ __forceinline__ QueryRun(const Search<Real>& search, const std::uint32_t* d_slots, std::int64_t begin,
                                      std::int64_t end, QueryRunMemory& s_memory)
      : search_(search), s_(s_memory), count_(static_cast<int>(end - begin)) {
    const int lane = warp::lane_id();
    const std::int64_t number = min(begin + lane, end - 1), slot = d_slots ? d_slots[number] : number;
    const PlacedPoint point = query_at(search, slot);
    const Query<Real> query(search, point);
    s_.slots[lane] = static_cast<std::uint32_t>(slot);
    s_.points[lane] = point;
    s_.places[lane] =
        search.tree.point_count > 0 ? static_cast<std::uint32_t>(place_of(search, slot, point, query)) : 0;
    __syncwarp();  // the queries are written
  }

  __device__ __forceinline__ int count() const { return count_; }
  /// The slot of query i < count(). The functions below are about that query, too.
  __device__ __forceinline__ std::int64_t slot(int i) const { return s_.slots[i]; }
  __device__ __forceinline__ Query<Real> query(int i) const { return Query<Real>(search_, s_.points[i]); }
  /// The maximum float32 squared distance of a neighbour.
  __device__ __forceinline__ float bound(int i, const Query<Real>& query) const {
    if constexpr (!Lists::k_is_bounded) return INFINITY;
    return query.filter_above(query.exact_above(counted(i, query, static_cast<int>(search_.list_size))));
  }
  /// A guess at the distance of the last neighbour, from that of the k_counted-th in a window. On surfaces it is too
  /// small, but letting it grow takes less time than sorting too many candidates.
  __device__ __forceinline__ float rough_radius(int i, const Query<Real>& query) const {
    const auto size = static_cast<float>(search_.list_size);
    const float sq_dist = counted(i, query, Lists::k_counted);
    return __fsqrt_ru(rounded_up(query.exact_above(sq_dist))) * cbrtf(size / Lists::k_counted);
  }

 private:
  __device__ __forceinline__ float counted(int i, const Query<Real>& query, int size) const {
    constexpr int half = warp::k_bound_rows<Lists::k_counted> * warp::k_lanes / 2;
    const Window window = window_around(s_.places[i], half, search_.tree.point_count);
    return warp::counted_bound<Lists::k_counted>(search_.tree.d_points, window, query, size, search_.curve.dimensions);
  }

  const Search<Real>& search_;
  QueryRunMemory& s_;
  int count_;
};

}  // namespace kann::cuda::exact
