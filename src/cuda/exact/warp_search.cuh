// A warp searches for 32 neighbouring queries together. The data around their places on the curve give an upper bound
// of the distances of their neighbours; then the boxes that may hold a point within the bound of any query are visited.
// Of an inner node, 32 children are tested at once, one per lane; every point of a bucket is tested by all lanes, each
// for its own query. A lane stores the candidates within its bound in a buffer, and all lanes flush their buffers
// together.
#pragma once

#include "cuda/exact/bound.cuh"
#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/smallest_in.cuh"
#include "cuda/warp/candidate_buffer.cuh"
#include "cuda/warp/reduce.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::exact {

/// Points on each side of a warp's places that give the bound. For k = 8, the search takes 6.7 ms with 8 of them, 6.5
/// with 16 and 6.4 with 24.
template <int K>
constexpr std::int64_t k_reach = K < 8 ? 16 : 3 * K;
/// If the places of a warp's queries on the curve are further apart than this, each lane has points of its own.
constexpr std::int64_t k_max_apart = 96;

/// Boxes that are loaded before the first of them is tested, and points likewise: more would spill. For k = 8, the
/// search of 2²³ points takes 7.9 ms with one box, 7.7 with two, 7.65 with three and 7.75 with four; with eight points
/// instead of four, 8.2.
constexpr int k_boxes_at_once = 3, k_points_at_once = 4;

/// Candidates per lane. Each K has the best of 16, 24 and 40: with 24 instead of 16, K = 4 takes 4.7 ms instead of 4.4,
/// and K = 16 takes 12.9 instead of 14.8.
template <int K>
using CandidateBuffer = warp::CandidateBuffer<K <= 4   ? 16
                                              : K <= 8 ? 24
                                                       : 40>;

/// The shared memory of a warp.
template <int K, class Real>
struct WarpMemory {
  typename CandidateBuffer<K>::Shared buffer;
  unsigned children[k_max_levels];  // still to visit, of the current node of each level
  std::uint32_t first_child[k_max_levels];
  int flushes;
  Real lo[3], hi[3];  // the box of the warp's queries: six registers more would leave fewer warps
};

/// The position of the highest bit that is set; one must be. 0b0110: 2.
__device__ __forceinline__ int highest(unsigned bits) { return warp::k_lanes - 1 - __clz(static_cast<int>(bits)); }

/// The K-th smallest float32 squared distance of data near the places of a warp's queries, which lie between `first`
/// and `last`; infinite if there are fewer. Called by all 32 lanes, each for its own query.
template <int K, class Real>
__device__ __forceinline__ float nearest_around(const BoxTreeView<Real>& tree, const Query<Real>& query,
                                                std::int64_t first, std::int64_t last) {
  constexpr std::int64_t reach = k_reach<K>;
  const std::int64_t half_gap = (last - first) / 2;
  const bool together = last - first <= k_max_apart;
  const std::int64_t own = first + (last - first) * warp::lane_id() / (warp::k_lanes - 1);
  const Window window = together ? window_around(first + half_gap, half_gap + reach, tree.point_count)
                                 : window_around(own, 2 * reach, tree.point_count);
  return thread::smallest_in<K>(tree.d_points, window, query).last();
}

/// One query per lane. Called by all 32 lanes of a warp. List is Float32List, ExactFloat32List or Float64List.
template <class List, class Real>
class WarpSearch {
 public:
  static constexpr int K = List::k_capacity;

  __device__ WarpSearch(const Search<Real>& search, const Query<Real>& query, WarpMemory<K, Real>& s_memory)
      : tree_(search.tree), query_(query), s_(s_memory), list_(search, query), buffer_(s_memory.buffer) {
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      const Real lo = warp::reduce_min(query.given()[a]), hi = warp::reduce_max(query.given()[a]);
      if (warp::lane_id() > 0) continue;
      s_.lo[a] = lo;
      s_.hi[a] = hi;
    }
    if (warp::lane_id() == 0) s_.flushes = 0;
    __syncwarp();  // the box is written
  }

  /// Sets the bounds by the K-th smallest float32 squared distance of some points, or infinity.
  __device__ void bound_by(float nearest) {
    list_.begin(nearest);
    warp_limit_ = warp::reduce_max(list_.box_limit());
  }

  /// Visits all boxes that may hold a neighbour.
  __device__ void visit() {
    if (tree_.levels == 0) return;
    int level = tree_.levels - 1;
    if (level == 0) {
      visit_buckets(0);
      flush();
      return;
    }
    open(level, 0);
    while (level < tree_.levels) {
      const unsigned children = s_.children[level];
      if (children == 0) {
        ++level;
        continue;
      }
      const std::uint32_t node = s_.first_child[level] + __ffs(static_cast<int>(children)) - 1;
      __syncwarp();  // all have read the children
      if (warp::lane_id() == 0) s_.children[level] = children & (children - 1);
      __syncwarp();
      if (!list_.any_may_enter(load_box(boxes_of(level) + node))) continue;
      if (level > 1) {
        open(--level, node * k_children);
      } else {
        visit_buckets(node * k_children);
      }
    }
    flush();
  }

  __device__ const List& list() const { return list_; }

 private:
  __device__ __forceinline__ const NodeBox<Real>* boxes_of(int level) const {
    return tree_.d_boxes + tree_.first[level];
  }

  /// A bit for each of the 32 nodes from `first` on, one per lane: whether it may hold a neighbour of a query anywhere
  /// in the warp's box. Valid in all lanes.
  __device__ __forceinline__ unsigned children_within_bound(int level, std::uint32_t first) const {
    const std::uint32_t child = first + warp::lane_id();
    bool is_within = false;
    if (child < static_cast<std::uint32_t>(tree_.count[level]))
      is_within = min_sq_dist<Real>(load_box(boxes_of(level) + child), s_.lo, s_.hi) <= warp_limit_;
    return __ballot_sync(warp::k_all_lanes, is_within);
  }

  /// Sets the nodes to visit on a level: those of the 32 from `first` on that may hold a neighbour.
  __device__ void open(int level, std::uint32_t first) {
    const unsigned children = children_within_bound(level, first);
    if (warp::lane_id() == 0) {
      s_.children[level] = children;
      s_.first_child[level] = first;
    }
    __syncwarp();
  }

  /// Visits those of the 32 buckets from `first` on that may hold a neighbour.
  __device__ void visit_buckets(std::uint32_t first) {
    const NodeBox<Real>* const d_boxes = tree_.d_boxes + first;  // level 0 comes first
    unsigned buckets = children_within_bound(0, first);
    while (buckets != 0) {
      int some[k_boxes_at_once];  // where too few are left, one is tested twice
      NodeBox<Real> boxes[k_boxes_at_once];
#pragma unroll
      for (int i = 0; i < k_boxes_at_once; ++i) {
        some[i] = i == 0 || buckets != 0 ? highest(buckets) : some[i - 1];
        buckets &= ~(1u << some[i]);
        boxes[i] = load_box(d_boxes + some[i]);
      }
      unsigned near = 0;
#pragma unroll
      for (int i = 0; i < k_boxes_at_once; ++i) near |= static_cast<unsigned>(list_.any_may_enter(boxes[i])) << some[i];
      for (; near != 0; near ^= 1u << highest(near)) scan((first + highest(near)) * k_bucket_points);
    }
  }

  /// Collects the points of a bucket, from the `first`-th on, that are within the bound.
  __device__ __forceinline__ void scan(std::uint32_t first) {
    if (buffer_.needs_flush(k_bucket_points)) flush();
    const PlacedPoint* const d_points = tree_.d_points + first;
    const std::uint32_t left = static_cast<std::uint32_t>(tree_.point_count) - first;
    if (left >= k_bucket_points) {
#pragma unroll
      for (int i = 0; i < k_bucket_points; i += k_points_at_once)
        list_.template collect<k_points_at_once>(buffer_, d_points + i, first + i);
    } else {
      for (std::uint32_t i = 0; i < left; ++i) list_.template collect<1>(buffer_, d_points + i, first + i);
    }
  }

  /// Inserts the candidates into the lists, and lowers the bounds. No bucket is visited twice, so all are distinct.
  __device__ void flush() {
    list_.take(buffer_);
    if (s_.flushes == List::k_max_flushes) list_.give_up();
    warp_limit_ = warp::reduce_max(list_.box_limit());
    __syncwarp();  // all have read the number of flushes
    if (warp::lane_id() == 0) ++s_.flushes;
    __syncwarp();  // it is written
  }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  WarpMemory<K, Real>& s_;
  List list_;
  Real warp_limit_;  // maximum squared distance from a box with a neighbour to a query of the warp
  CandidateBuffer<K> buffer_;
};

}  // namespace kann::cuda::exact
