// A search like FilteredSearch, but with float32 distances that are exact, and without a filter: every point of a
// bucket is tested by all lanes, each for its own query.
#pragma once

#include "cuda/exact/bound.cuh"
#include "cuda/exact/query.cuh"
#include "cuda/exact/teams/box_traversal.cuh"
#include "cuda/exact/teams/exact_float32_list.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/candidate_buffer.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// The number of boxes that are loaded before the first of them is tested, and the same for points: more would spill.
/// For k = 8, the search of 2²³ points takes 7.9 ms with one box, 7.7 with two, 7.65 with three and 7.75 with four; it
/// takes 8.2 ms with eight points instead of four.
constexpr int k_boxes_at_once = 3, k_points_at_once = 4;

/// The number of candidates per lane. Each K has the best of 16, 24 and 40: with 24 instead of 16, K = 4 takes 4.7 ms
/// instead of 4.4, and K = 16 takes 12.9 instead of 14.8.
template <int K>
using CandidateBuffer = warp::CandidateBuffer<K <= 4   ? 16
                                              : K <= 8 ? 24
                                                       : 40>;

/// The shared memory of a warp.
template <int K>
struct LatticeSearchMemory {
  typename CandidateBuffer<K>::Shared buffer;
  BoxTraversalMemory<float> traversal;
};

/// One query per lane. Called by all 32 lanes of a warp.
template <int K>
class LatticeSearch {
 public:
  __device__ LatticeSearch(const Search<float>& search, const Query<float>& query, LatticeSearchMemory<K>& s_memory)
      : tree_(search.tree),
        list_(query),
        traversal_(search.tree, query, s_memory.traversal),
        buffer_(s_memory.buffer) {}

  /// Searches within a first bound per lane: `nearest` is the K-th smallest squared distance of some points, and below
  /// exact_float32_limit().
  __device__ void search_within(float nearest) {
    list_.begin(nearest);
    warp_limit_ = warp::reduce_max(list_.box_limit());
    const auto may_enter = [this](const NodeBox<float>& box) { return list_.any_may_enter(box); };
    traversal_.begin(warp_limit_);
    for (std::uint32_t first = 0; traversal_.next(warp_limit_, may_enter, first);) visit_buckets(first);
    flush();
  }

  __device__ const ExactFloat32List<K>& list() const { return list_; }

 private:
  /// Visits those of the 32 buckets from `first` on that may hold a neighbour.
  __device__ void visit_buckets(std::uint32_t first) {
    const NodeBox<float>* const d_boxes = tree_.d_boxes + first;  // level 0 comes first
    unsigned buckets = __ballot_sync(warp::k_all_lanes, traversal_.sq_dist_to_child(0, first) <= warp_limit_);
    while (buckets != 0) {
      int some[k_boxes_at_once];  // if too few are left, one is tested twice
      NodeBox<float> boxes[k_boxes_at_once];
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
    warp_limit_ = warp::reduce_max(list_.box_limit());
  }

  const BoxTreeView<float>& tree_;
  ExactFloat32List<K> list_;
  float warp_limit_;  // maximum squared distance from a box with a neighbour to a query of the warp
  BoxTraversal<float> traversal_;
  CandidateBuffer<K> buffer_;
};

}  // namespace kann::cuda::exact
