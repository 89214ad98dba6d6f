// A warp searches for one query: its lanes test boxes and points side by side, the nearest boxes first. This is for
// queries that are far apart, and for those for which a first bound is hard to find: here it falls with every bucket.
#pragma once

#include <type_traits>

#include "cuda/exact/bound.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/exact/single/single_list.cuh"
#include "cuda/runtime/names.hpp"

namespace kann::cuda::exact {

/// The shared memory of a warp.
template <int K, class Real>
struct SingleSearchMemory {
  SingleListMemory<K> list;
  Real sq_dists[k_max_levels][warp::k_lanes];  // to the 32 current nodes of each level; NaN: not to visit
  std::uint32_t first[k_max_levels];           // the first of these nodes
};

/// All 32 lanes of a warp call every function, and agree in all members. Lists of up to K neighbours, of the points at
/// the places that the query sees.
template <int K, class Real, class Places>
class SingleSearch {
 public:
  using Memory = SingleSearchMemory<K, Real>;

  __device__ __forceinline__ SingleSearch(const Search<Real>& search, const PlacedPoint& point, const Places& places,
                                          Memory& s_memory)
      : search_(search), list_(search, point, s_memory.list), s_(s_memory), places_(places) {}

  /// Visits all boxes that may hold a neighbour, depth first; the nearest child of a node comes first.
  __device__ __forceinline__ void visit() {
    const int levels = search_.tree.levels;
    int level = levels - 1;
    open(level, 0);
#pragma unroll 1
    while (level < levels) {
      const Real sq_dist = s_.sq_dists[level][warp::lane_id()];
      const unsigned near = __ballot_sync(warp::k_all_lanes, sq_dist <= box_limit());
      if (near == 0) {
        ++level;
      } else if (level == 0) {
        visit_buckets(near);
      } else {
        const std::uint32_t child = take_nearest(level, sq_dist);
        if (child != k_none) open(--level, child * k_children);
      }
    }
    list_.flush();
  }

  /// Writes the row. Call last.
  __device__ __forceinline__ void write(const ResultRows& rows) const { list_.write(rows); }

 private:
  static constexpr std::uint32_t k_none = 0xffffffffu;

  /// The maximum squared distance to a box that may hold a neighbour.
  __device__ __forceinline__ Real box_limit() const {
    if constexpr (std::is_same_v<Real, float>) return list_.bound();
    if constexpr (std::is_same_v<Real, double>) return list_.limit();
  }

  __device__ __forceinline__ const NodeBox<Real>* box_of(int level, std::uint32_t node) const {
    return search_.tree.d_boxes + search_.tree.first[level] + node;
  }

  /// Makes the 32 nodes from `first` on the current nodes of a level.
  __device__ __forceinline__ void open(int level, std::uint32_t first) {
    const std::uint32_t child = first + warp::lane_id();
    Real sq_dist = NAN;
    if (child < search_.tree.count[level] && places_.has_some_of(level, child))
      sq_dist = min_sq_dist<Real>(load_box(box_of(level, child)), list_.query().given(), list_.query().given());
    s_.sq_dists[level][warp::lane_id()] = sq_dist;
    __syncwarp();  // all lanes have read the first of the nodes before
    if (warp::lane_id() == 0) s_.first[level] = first;
    __syncwarp();  // the first is written
  }

  /// Takes the nearest of the current nodes of a level; `sq_dist` is the squared distance of the lane's node. Returns
  /// its number, or k_none if it holds no neighbour.
  __device__ __forceinline__ std::uint32_t take_nearest(int level, Real sq_dist) {
    const Real nearest = warp::reduce_min(sq_dist <= box_limit() ? sq_dist : static_cast<Real>(INFINITY));
    const int lane = __ffs(static_cast<int>(__ballot_sync(warp::k_all_lanes, sq_dist == nearest))) - 1;
    if (warp::lane_id() == lane) s_.sq_dists[level][lane] = NAN;
    const std::uint32_t node = s_.first[level] + lane;
    return may_enter(level, node, nearest) ? node : k_none;
  }

  /// Whether the box of a node may hold a neighbour; its squared distance `sq_dist` is within the limit. A box at the
  /// distance of the last neighbour does so only if it holds a lower index. May be called by some of the lanes.
  __device__ __forceinline__ bool may_enter(int level, std::uint32_t node, Real sq_dist) const {
    if (!list_.is_full() || sq_dist < fma(box_limit(), 1 - Real{0x1p-18f}, -Real{0x1p-145f})) return true;
    return list_.query().min_key(load_box(box_of(level, node))) < list_.last();
  }

  /// Offers the points of up to four of the current buckets for which `near` has a bit to the list.
  __device__ __forceinline__ void visit_buckets(unsigned near) {
    const int lane = warp::lane_id();
    const std::uint32_t first = s_.first[0];
    const bool is_near = near >> lane & 1;
    near = __ballot_sync(warp::k_all_lanes, is_near && may_enter(0, first + lane, s_.sq_dists[0][lane]));
    unsigned own = 0, others = near;  // the lowest bit of `own` is the lane's bucket
#pragma unroll
    for (int i = 0; i < warp::k_lanes / k_bucket_points; ++i) {
      if (lane / k_bucket_points == i) own = others;
      others &= others - 1;
    }
    if (!(others >> lane & 1)) s_.sq_dists[0][lane] = NAN;
    const std::uint32_t bucket = first + __ffs(static_cast<int>(own)) - 1;
    const std::uint32_t place = bucket * k_bucket_points + lane % k_bucket_points;
    list_.offer(place, own != 0 && place < search_.tree.point_count && places_.has(place));
  }

  const Search<Real>& search_;
  SingleList<K, Real> list_;
  Memory& s_;
  const Places places_;
};

}  // namespace kann::cuda::exact
