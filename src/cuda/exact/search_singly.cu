// Queries that are far apart: a warp searches for one after another, by boxes and points that its lanes test side by
// side. Neighbours that were found before bound the search, so that most queries end with fewer candidates than a warp
// has lanes.
#include <type_traits>

#include "cuda/exact/bound.cuh"
#include "cuda/exact/query.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::exact {
namespace {

using thread::ExactKey;

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;
/// Candidates of a warp, those that it keeps included: 32 of the list, and two rounds of a scan.
constexpr int k_room = 96;
constexpr int k_rounds = k_room / warp::k_lanes;

/// A point within the bound: its place and, once that is computed, its key. Read in one load.
struct alignas(16) Candidate {
  ExactKey key;
  std::uint32_t place;
};

/// All 32 lanes of a warp call every function, and agree in all members.
template <class Real>
class SingleSearch {
 public:
  /// `bound`: the maximum float32 squared distance of a neighbour, or infinity.
  __device__ __forceinline__ SingleSearch(const Search<Real>& search, const PlacedPoint& point, float bound,
                                          Candidate (&s_candidates)[k_room])
      : search_(search), query_(search, point), s_candidates_(s_candidates), bound_(bound) {
    limit_ = query_.exact_above(bound);
  }

  /// Visits all boxes that may hold a neighbour, depth first.
  __device__ __forceinline__ void visit() {
    visit_nodes<k_max_levels - 1>(0);
    if (count_ > kept_) flush();
  }

  /// Writes the row. Call last.
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const {
    const int lane = warp::lane_id();
    const bool is_present = lane < kept_;
    const ExactKey key = is_present ? s_candidates_[lane].key : ExactKey();
    const float distance = is_present ? thread::float_root(key.sq_dist()) : INFINITY;
    const NeighborKey written = neighbor_key(distance, key.index);
    // Squared distances that differ may have the same root: rows are in the order of (distance, id)
    const NeighborKey before = __shfl_up_sync(warp::k_all_lanes, written, 1);
    int place = lane;
    if (__any_sync(warp::k_all_lanes, is_present && lane > 0 && written < before)) {
      place = 0;
      for (int other = 0; other < kept_; ++other) place += __shfl_sync(warp::k_all_lanes, written, other) < written;
    }
    std::int32_t* const d_ids = rows.d_ids + row * rows.k;
    float* const d_distances = rows.d_distances + row * rows.k;
    if (is_present) {
      d_ids[place] = static_cast<std::int32_t>(key.index);
      d_distances[place] = distance;
    }
    for (std::int64_t j = kept_ + lane; j < rows.k; j += warp::k_lanes) {
      d_ids[j] = k_missing_id;
      d_distances[j] = INFINITY;
    }
  }

  __device__ __forceinline__ std::int64_t row(std::int64_t slot) const { return row_of(search_, slot, query_); }

 private:
  /// Whether the list is full and its last key bounds the search.
  __device__ __forceinline__ bool is_full() const { return kept_ == static_cast<int>(search_.list_size); }

  /// Visits those of the 32 nodes of a level from `first` on that may hold a neighbour. Levels that the tree does not
  /// have stand for a node that holds all. The recursion is unrolled: what is still to visit stays in registers.
  template <int k_level>
  __device__ __forceinline__ void visit_nodes(std::uint32_t first) {
    unsigned children = k_level < search_.tree.levels ? children_of(k_level, first) : 1u;
    while (children != 0) {
      if constexpr (k_level == 0) {
        children = scan(first, children);
        if (count_ > k_room - warp::k_lanes) flush();
      } else {
        const std::uint32_t node = first + __ffs(static_cast<int>(children)) - 1;
        children &= children - 1;
        visit_nodes<k_level - 1>(node * k_children);
      }
    }
  }

  /// A bit for each of the 32 nodes from `first` on of a level: whether it may hold a neighbour. A box at the distance
  /// of the last one matters only for its lowest index.
  __device__ __forceinline__ unsigned children_of(int level, std::uint32_t first) const {
    const BoxTreeView<Real>& tree = search_.tree;
    const std::uint32_t child = first + warp::lane_id();
    bool may_hold = false;
    if (child < tree.count[level]) {
      const NodeBox<Real> box = load_box(tree.d_boxes + tree.first[level] + child);
      const Real sq_dist = min_sq_dist<Real>(box, query_.given(), query_.given());
      may_hold = sq_dist <= (std::is_same_v<Real, float> ? bound_ : limit_);
      if (may_hold && is_full()) may_hold = query_.min_key(box) < s_candidates_[kept_ - 1].key;
    }
    return __ballot_sync(warp::k_all_lanes, may_hold);
  }

  /// Collects the points of the lowest four of those of the 32 buckets from `first` on that `buckets` has a bit for,
  /// and returns the others.
  __device__ __forceinline__ unsigned scan(std::uint32_t first, unsigned buckets) {
    constexpr int at_once = warp::k_lanes / k_bucket_points;
    const int lane = warp::lane_id();
    unsigned own = 0;  // the lane's bucket is its lowest bit
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (lane / k_bucket_points == i) own = buckets;
      buckets &= buckets - 1;
    }
    const std::uint32_t bucket = first + __ffs(static_cast<int>(own)) - 1;
    const std::uint32_t place = bucket * k_bucket_points + lane % k_bucket_points;
    const bool is_near =
        own != 0 && place < search_.tree.point_count && query_.sq_dist_to(search_.tree.d_points[place]) <= bound_;
    const unsigned near = __ballot_sync(warp::k_all_lanes, is_near);
    if (is_near) s_candidates_[count_ + __popc(near & ((1u << lane) - 1))].place = place;
    count_ += __popc(near);
    return buckets;
  }

  /// Computes the keys of the new candidates, keeps the list_size smallest of all, in order, and lowers the bound.
  __device__ __forceinline__ void flush() {
    const int lane = warp::lane_id();
    __syncwarp();  // the places are written
    int present = kept_;
    for (int begin = kept_; begin < count_; begin += warp::k_lanes) {
      const int i = begin + lane;
      ExactKey key;
      if (i < count_) {
        const Point<Real> point = search_.tree.d_given[s_candidates_[i].place];
        if (!query_.is(point.index)) key = query_.key_of(point);
        s_candidates_[i].key = key;
      }
      present += __popc(__ballot_sync(warp::k_all_lanes, !key.is_absent()));
    }
    __syncwarp();  // the keys are written

    // The place of a key is the number of smaller ones
    ExactKey own[k_rounds];
    int place[k_rounds] = {};
#pragma unroll
    for (int r = 0; r < k_rounds; ++r) {
      if (r * warp::k_lanes >= count_) break;
      if (r * warp::k_lanes + lane < count_) own[r] = s_candidates_[r * warp::k_lanes + lane].key;
#pragma unroll 1
      for (int other = 0; other < count_; ++other) place[r] += s_candidates_[other].key < own[r];
    }
    __syncwarp();  // all keys have been read
    kept_ = min(present, static_cast<int>(search_.list_size));
#pragma unroll
    for (int r = 0; r < k_rounds; ++r)
      if (!own[r].is_absent() && place[r] < kept_) s_candidates_[place[r]].key = own[r];
    __syncwarp();  // the kept keys are in order
    count_ = kept_;
    if (!is_full()) return;
    limit_ = fmin(limit_, s_candidates_[kept_ - 1].key.sq_dist());
    bound_ = fminf(bound_, query_.filter_above(limit_));
  }

  const Search<Real>& search_;
  const Query<Real> query_;
  Candidate (&s_candidates_)[k_room];  // the nearest so far, in order, and new ones after them
  float bound_;                        // the maximum float32 squared distance of a neighbour
  double limit_;                       // its maximum exact one
  int kept_ = 0;
  int count_ = 0;
};

/// A warp searches for `at_once` queries one after the other; their points and bounds are loaded together. Of two
/// searches, the first blocks are those of `first`.
template <class Real>
__global__ void __launch_bounds__(k_threads, std::is_same_v<Real, float> ? 8 : 5)
    search_singly_kernel(const __grid_constant__ SearchJob<Real> few, const __grid_constant__ SearchJob<Real> many,
                         unsigned few_blocks, int at_once) {
  __shared__ Candidate s_candidates[k_warps][k_room];
  const bool is_few = blockIdx.x < few_blocks;
  const SearchJob<Real>& job = is_few ? few : many;
  const int queries = is_few ? 1 : at_once;
  const unsigned warp = threadIdx.x / warp::k_lanes;
  const std::int64_t block = is_few ? blockIdx.x : blockIdx.x - few_blocks;
  const std::int64_t begin = (block * k_warps + warp) * queries;
  const std::int64_t end = min(begin + queries, job.search.query_count);
  if (begin >= end) return;

  const std::int64_t own_slot = min(begin + warp::lane_id(), end - 1);
  const PlacedPoint own_point = query_at(job.search, own_slot);
  float own_bound = INFINITY;
  if (job.search.d_found) {
    const Query<Real> query(job.search, own_point);
    own_bound = query.filter_above(query.exact_above(query.found_before(job.search)));
  }
  for (std::int64_t slot = begin; slot < end; ++slot) {
    const int source = static_cast<int>(slot - begin);
    SingleSearch<Real> single(job.search, shuffle(own_point, source), __shfl_sync(warp::k_all_lanes, own_bound, source),
                              s_candidates[warp]);
    if (job.search.tree.point_count > 0) single.visit();
    single.write(job.rows, single.row(slot));
    __syncwarp();  // the next query overwrites the candidates
  }
}

}  // namespace

template <class Real>
void search_singly(Pool& pool, const SearchJob<Real>& few, const SearchJob<Real>& many) {
  if (few.search.query_count + many.search.query_count == 0) return;
  if (few.search.list_size > k_max_register_list) {
    for (const SearchJob<Real>& job : {few, many}) search_long_lists(pool, job.search, job.rows);
    return;
  }
  // Few enough that the last warps do not work alone for long
  constexpr int at_once = 8;
  const auto blocks = [](const SearchJob<Real>& job, int queries) {
    return job.search.query_count > 0 ? blocks_for(job.search.query_count, k_warps * queries) : 0;
  };
  const unsigned few_blocks = blocks(few, 1);
  search_singly_kernel<<<few_blocks + blocks(many, at_once), k_threads, 0, pool.stream()>>>(few, many, few_blocks,
                                                                                            at_once);
  check_launch("exact search of single queries");
}

template void search_singly(Pool&, const SearchJob<float>&, const SearchJob<float>&);
template void search_singly(Pool&, const SearchJob<double>&, const SearchJob<double>&);

}  // namespace kann::cuda::exact
