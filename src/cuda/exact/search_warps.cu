// A warp searches for 32 neighbouring queries together. The data around their places on the curve give an upper bound
// of the distances of their neighbours; then the boxes that may hold a point within the bound of any query are visited.
// Of an inner node, 32 children are tested at once, one per lane; every point of a bucket is tested by all lanes, each
// for its own query. A lane stores the candidates within its bound in a buffer, and all lanes flush their buffers
// together.
#include "cuda/exact/bound.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"
#include "cuda/thread/smallest_in.cuh"
#include "cuda/warp/candidate_buffer.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;

/// Points on each side of a warp's places that give the bound. For k = 8, the search takes 6.7 ms with 8 of them, 6.5
/// with 16 and 6.4 with 24.
template <int K>
constexpr std::int64_t k_reach = K < 8 ? 16 : 3 * K;
/// If the places of a warp's queries on the curve are further apart than this, each lane has points of its own.
constexpr std::int64_t k_max_apart = 96;

/// Candidates per lane. Each K has the best of 16, 24 and 40: with 24 instead of 16, K = 4 takes 4.7 ms instead of 4.4,
/// and K = 16 takes 12.9 instead of 14.8.
template <int K>
using CandidateBuffer = warp::CandidateBuffer<K <= 4   ? 16
                                              : K <= 8 ? 24
                                                       : 40>;

/// The shared memory of a warp.
template <int K>
struct WarpMemory {
  typename CandidateBuffer<K>::Shared buffer;
  unsigned children[k_max_levels];  // still to visit, of the current node of each level
  std::int64_t first_child[k_max_levels];
};

/// The position of the highest bit that is set; one must be. 0b0110: 2.
__device__ __forceinline__ int highest(unsigned bits) { return warp::k_lanes - 1 - __clz(static_cast<int>(bits)); }

/// The coordinates of lane `source`. Called by all 32 lanes.
__device__ __forceinline__ PlacedPoint shuffle(PlacedPoint p, int source) {
  p.x = __shfl_sync(warp::k_all_lanes, p.x, source);
  p.y = __shfl_sync(warp::k_all_lanes, p.y, source);
  p.z = __shfl_sync(warp::k_all_lanes, p.z, source);
  return p;
}

/// One query per lane. Called by all 32 lanes of a warp.
template <int K>
class WarpSearch {
 public:
  __device__ WarpSearch(const Search& search, const thread::Query& query, WarpMemory<K>& s_memory)
      : tree_(search.tree), query_(query), s_(s_memory), buffer_(s_memory.buffer) {
    lo_[0] = warp::reduce_min(query.x), hi_[0] = warp::reduce_max(query.x);
    lo_[1] = warp::reduce_min(query.y), hi_[1] = warp::reduce_max(query.y);
    lo_[2] = warp::reduce_min(query.z), hi_[2] = warp::reduce_max(query.z);
  }

  /// Sets the bounds by data near the places of the warp's queries, which lie between `first` and `last`.
  __device__ void bound_by(std::int64_t first, std::int64_t last) {
    constexpr std::int64_t reach = k_reach<K>;
    const std::int64_t half_gap = (last - first) / 2;
    const bool together = last - first <= k_max_apart;
    const std::int64_t own = first + (last - first) * warp::lane_id() / (warp::k_lanes - 1);
    const Window window = together ? window_around(first + half_gap, half_gap + reach, tree_.point_count)
                                   : window_around(own, 2 * reach, tree_.point_count);
    bound_ = thread::smallest_in<K>(tree_.d_points, window, query_).last();
    warp_bound_ = warp::reduce_max(bound_);
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
      const std::int64_t node = s_.first_child[level] + __ffs(static_cast<int>(children)) - 1;
      __syncwarp();  // all have read the children
      if (warp::lane_id() == 0) s_.children[level] = children & (children - 1);
      __syncwarp();
      if (!any_may_enter(load_box(tree_.d_boxes + tree_.first[level] + node))) continue;
      if (level > 1) {
        open(--level, node * k_children);
      } else {
        visit_buckets(node * k_children);
      }
    }
    flush();
  }

  __device__ const thread::NearestList<K>& list() const { return list_; }

 private:
  /// Whether the box may hold a neighbour of any of the warp's queries. Valid in all lanes.
  __device__ __forceinline__ bool any_may_enter(const NodeBox& box) const {
    const float sq_dist = min_sq_dist(box, query_.x, query_.y, query_.z);
    if (__any_sync(warp::k_all_lanes, sq_dist < bound_)) return true;
    const bool ties = sq_dist == bound_;
    if (!__any_sync(warp::k_all_lanes, ties)) return false;
    return __any_sync(warp::k_all_lanes, ties && may_enter(box, sq_dist, list_.last()));
  }

  /// A bit for each of the 32 nodes from `first` on, one per lane: whether it may hold a neighbour of a query anywhere
  /// in the warp's box. Valid in all lanes.
  __device__ __forceinline__ unsigned children_within_bound(int level, std::int64_t first) const {
    const std::int64_t child = first + warp::lane_id();
    bool is_within = false;
    if (child < tree_.count[level])
      is_within = min_sq_dist(load_box(tree_.d_boxes + tree_.first[level] + child), lo_, hi_) <= warp_bound_;
    return __ballot_sync(warp::k_all_lanes, is_within);
  }

  /// Sets the nodes to visit on a level: those of the 32 from `first` on that may hold a neighbour.
  __device__ void open(int level, std::int64_t first) {
    const unsigned children = children_within_bound(level, first);
    if (warp::lane_id() == 0) {
      s_.children[level] = children;
      s_.first_child[level] = first;
    }
    __syncwarp();
  }

  /// Visits those of the 32 buckets from `first` on that may hold a neighbour.
  __device__ void visit_buckets(std::int64_t first) {
    const NodeBox* const d_boxes = tree_.d_boxes + first;  // level 0 comes first
    unsigned buckets = children_within_bound(0, first);
    if (buckets == 0) return;
    int bucket = highest(buckets);
    NodeBox box = load_box(d_boxes + bucket);
    while (true) {
      // The next box is loaded while this one is tested
      buckets ^= 1u << bucket;
      const int next = buckets ? highest(buckets) : bucket;
      const NodeBox next_box = load_box(d_boxes + next);
      if (any_may_enter(box)) scan((first + bucket) * k_bucket_points);
      if (buckets == 0) return;
      bucket = next;
      box = next_box;
    }
  }

  /// Collects the points of a bucket, from the `first`-th on, that are within the bound.
  __device__ __forceinline__ void scan(std::int64_t first) {
    if (buffer_.lacks_room(k_bucket_points)) flush();
    const auto skip_none = [](std::uint32_t) { return false; };
    const PlacedPoint* const d_points = tree_.d_points + first;
    const std::int64_t left = tree_.point_count - first;
    if (left >= k_bucket_points) {
      buffer_.template collect<k_bucket_points>(d_points, query_, bound_, skip_none);
    } else {
      for (int i = 0; i < left; ++i) buffer_.template collect<1>(d_points + i, query_, bound_, skip_none);
    }
  }

  /// Inserts the candidates into the lists, and lowers the bounds. No bucket is visited twice, so all are distinct.
  __device__ void flush() {
    buffer_.flush_distinct(query_, list_);
    bound_ = fminf(bound_, list_.bound());
    warp_bound_ = warp::reduce_max(bound_);
  }

  const BoxTreeView& tree_;
  const thread::Query& query_;
  WarpMemory<K>& s_;
  thread::NearestList<K> list_;
  float lo_[3], hi_[3];  // the box of the warp's queries
  float bound_;          // upper bound of the squared distances of the lane's neighbours
  float warp_bound_;     // the maximum over the lanes
  CandidateBuffer<K> buffer_;
};

template <int K>
__global__ void __launch_bounds__(k_threads) search_kernel(const __grid_constant__ Search search, ResultRows rows) {
  __shared__ WarpMemory<K> s_memory[k_warps];
  const std::int64_t i = first_element();
  const bool active = i < search.query_count;
  const std::int64_t last = search.query_count - 1;
  const std::int64_t slot = active ? i : last;
  const PlacedPoint point = query_at(search, slot);
  const thread::Query query(point, search.drop_self);

  const std::int64_t first_slot = i - warp::lane_id();
  if (first_slot > last) return;  // a warp without queries
  WarpSearch<K> warp_search(search, query, s_memory[threadIdx.x / warp::k_lanes]);
  if (search.d_data_keys) {
    const std::uint64_t key = rank_key(search, point);
    const auto place_of_lane = [&](int lane) {
      return place_of(search, __shfl_sync(warp::k_all_lanes, key, lane), shuffle(point, lane));
    };
    const std::int64_t first = place_of_lane(0), last_place = place_of_lane(warp::k_lanes - 1);
    warp_search.bound_by(min(first, last_place), max(first, last_place));
  } else {
    warp_search.bound_by(first_slot, first_slot + warp::k_lanes - 1 < last ? first_slot + warp::k_lanes - 1 : last);
  }
  warp_search.visit();
  if (active) warp_search.list().write(rows, query.row);
}

template <int K>
void launch(const Search& search, const ResultRows& rows, cudaStream_t stream) {
  search_kernel<K><<<blocks_for(search.query_count, k_threads), k_threads, 0, stream>>>(search, rows);
  check_launch("exact search");
}

}  // namespace

void search_by_warps(const Search& search, const ResultRows& rows, cudaStream_t stream) {
  thread::with_list(search.list_size, [&](auto k) { launch<k()>(search, rows, stream); });
}

void search(const Search& search, const ResultRows& rows, cudaStream_t stream) {
  if (search.query_count == 0) return;
  search.list_size <= k_max_register_list ? search_by_warps(search, rows, stream)
                                          : search_by_blocks(search, rows, stream);
}

}  // namespace kann::cuda::exact
