// A warp searches for 32 neighbouring queries together. It visits the boxes within the radius of any of them, and tests
// the points of four buckets at a time. Float32 leaves out nearly all points beyond the radius; float64 measures the
// others, and decides.
#include "cuda/exact/rank.cuh"
#include "cuda/exact/teams/box_traversal.cuh"
#include "cuda/exact/within.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/float_root.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;
constexpr int k_buckets_at_once = warp::k_lanes / k_bucket_points;

/// The shared memory of a warp.
template <class Real>
struct WithinMemory {
  BoxTraversalMemory<Real> traversal;
  PlacedPoint points[warp::k_lanes];
  std::uint32_t places[warp::k_lanes];
};

/// The places that any query of a warp sees. Called by all 32 lanes.
__device__ __forceinline__ AllPlaces seen_by_any(const AllPlaces& places) { return places; }
__device__ __forceinline__ GroupPlaces seen_by_any(const GroupPlaces& places) {
  return {warp::reduce_min(places.begin), warp::reduce_max(places.end)};
}

/// The search of one query per lane, among the places that it sees. Called by all 32 lanes of a warp.
template <bool drops_self, class Real, class Places>
class WithinSearch {
 public:
  __device__ __forceinline__ WithinSearch(const Search<Real>& search, const WithinRadius& within, bool is_active,
                                          const Query<Real>& query, const Places& places, WithinMemory<Real>& s_memory)
      : tree_(search.tree),
        within_(within),
        query_(query),
        s_(s_memory),
        places_(places),
        traversal_(search.tree, query, s_memory.traversal, seen_by_any(places)),
        bound_(is_active ? query.filter_above(within.sq_bound()) : -1) {}

  /// The largest squared distance from the query to a box of interest, in the type of the boxes; −1 for lanes without a
  /// query.
  __device__ __forceinline__ Real box_limit() const {
    if constexpr (std::is_same_v<Real, float>) {
      return bound_;
    } else {
      return bound_ < 0 ? -1.0 : within_.sq_bound();
    }
  }

  /// Calls take(candidates) with the lane's points of a batch that may be within the radius: bit i stands for the i-th
  /// point of the shared memory.
  template <class Take>
  __device__ __forceinline__ void for_each_batch(Take take) {
    const Real own = box_limit(), limit = warp::reduce_max(own);
    const auto may_enter = [&](const NodeBox<Real>& box) {
      return __any_sync(warp::k_all_lanes, min_sq_dist<Real>(box, query_.given(), query_.given()) <= own);
    };
    traversal_.begin(limit);
    for (std::uint32_t first = 0; traversal_.next(limit, may_enter, first);) {
      unsigned near = __ballot_sync(warp::k_all_lanes, traversal_.sq_dist_to_child(0, first) <= limit);
      while (near != 0) {
        load(first, near);
        take(candidates());
      }
    }
  }

  /// Bit i: whether the i-th point of the batch is within this float32 squared distance.
  __device__ __forceinline__ unsigned up_to(float sq_dist) const {
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < warp::k_lanes; ++i) {
      const PlacedPoint p = s_.points[i];
      const bool is_near =
          query_.sq_dist_to(p) <= sq_dist && !(drops_self && query_.is(p.index)) && places_.has(s_.places[i]);
      bits |= is_near ? 1u << i : 0;
    }
    return bits;
  }

  /// Calls take(sq_dist, index) for those points of the batch that are within the radius, of those in `bits`. Called by
  /// some of the lanes.
  template <class Take>
  __device__ __forceinline__ void decide(unsigned bits, Take take) const {
    for (; bits != 0; bits &= bits - 1) {
      const int i = __ffs(static_cast<int>(bits)) - 1;
      const Point<Real> point = given_point(i);
      const thread::ExactKey key = query_.key_of(point);
      if (is_within(key.sq_dist(), point)) take(key.sq_dist(), key.index);
    }
  }

 private:
  __device__ __forceinline__ unsigned candidates() const { return up_to(bound_); }

  /// Loads the points of the first four buckets of `near`, and removes these from it. Lanes without a point load NaNs.
  __device__ __forceinline__ void load(std::uint32_t first, unsigned& near) {
    std::uint32_t bucket = 0xffffffffu;
#pragma unroll
    for (int b = 0; b < k_buckets_at_once; ++b) {
      if (near != 0 && warp::lane_id() / k_bucket_points == b) bucket = first + __ffs(static_cast<int>(near)) - 1;
      near &= near - 1;
    }
    const std::int64_t place = std::int64_t{bucket} * k_bucket_points + warp::lane_id() % k_bucket_points;
    PlacedPoint point{NAN, NAN, NAN, 0};
    if (place < tree_.point_count) point = tree_.d_points[place];
    __syncwarp();  // the points before have been read
    s_.points[warp::lane_id()] = point;
    s_.places[warp::lane_id()] = static_cast<std::uint32_t>(place);
    __syncwarp();  // the points are written
  }

  __device__ __forceinline__ Point<Real> given_point(int i) const {
    if constexpr (std::is_same_v<Real, float>) {
      return s_.points[i];
    } else {
      return tree_.d_given[s_.places[i]];
    }
  }

  __device__ __forceinline__ bool is_within(double sq_dist, const Point<Real>& point) const {
    if (!within_.is_scaled()) return sq_dist <= within_.sq_bound();
    return within_(static_cast<double>(query_.given()[0]) - point.x, static_cast<double>(query_.given()[1]) - point.y,
                   static_cast<double>(query_.given()[2]) - point.z);
  }

  const BoxTreeView<Real>& tree_;
  const WithinRadius& within_;
  const Query<Real>& query_;
  WithinMemory<Real>& s_;
  const Places places_;
  BoxTraversal<Real, Places> traversal_;
  float bound_;
};

/// One thread per query.
template <bool drops_self, class Places, class Real>
__global__ void __launch_bounds__(k_threads)
    count_kernel(const __grid_constant__ Search<Real> search, const __grid_constant__ WithinRadius within,
                 std::uint32_t* d_counts) {
  __shared__ WithinMemory<Real> s_memory[k_warps];
  const std::int64_t i = first_element(), last = search.query_count - 1;
  if (i - warp::lane_id() > last) return;  // a warp without queries
  const Query<Real> query(search, query_at(search, min(i, last)));
  WithinSearch<drops_self, Real, Places> rows(search, within, i <= last, query,
                                              places_seen<Places>(search, min(i, last)),
                                              s_memory[threadIdx.x / warp::k_lanes]);
  const float sure = within.is_scaled() ? -1 : query.sure_below(within.sq_bound(), search.unit);
  std::uint32_t count = 0;
  rows.for_each_batch([&](unsigned candidates) {
    if (candidates == 0) return;
    const unsigned decided = candidates & rows.up_to(sure);
    count += __popc(decided);
    rows.decide(candidates & ~decided, [&](double, std::uint32_t) { ++count; });
  });
  if (i <= last) d_counts[query.row] = count;
}

/// One thread per query.
template <bool drops_self, class Places, class Real>
__global__ void __launch_bounds__(k_threads) find_kernel(const __grid_constant__ Search<Real> search,
                                                         const __grid_constant__ WithinRadius within, ListRows rows) {
  __shared__ WithinMemory<Real> s_memory[k_warps];
  const std::int64_t i = first_element(), last = search.query_count - 1;
  if (i - warp::lane_id() > last) return;  // a warp without queries
  const Query<Real> query(search, query_at(search, min(i, last)));
  const bool is_active = i <= last && rows.has(query.row);
  if (!__any_sync(warp::k_all_lanes, is_active)) return;
  NeighborKey* d_next = is_active ? rows.d_keys + (rows.d_begins[query.row] - rows.first_begin) : nullptr;
  WithinSearch<drops_self, Real, Places> found(search, within, is_active, query,
                                               places_seen<Places>(search, min(i, last)),
                                               s_memory[threadIdx.x / warp::k_lanes]);
  found.for_each_batch([&](unsigned candidates) {
    found.decide(candidates, [&](double sq_dist, std::uint32_t index) {
      *d_next++ = neighbor_key(thread::float_root(sq_dist), index);
    });
  });
}

}  // namespace

template <class Real>
void count_within(cudaStream_t stream, const Search<Real>& search, const WithinRadius& within,
                  std::uint32_t* d_counts) {
  if (search.query_count == 0) return;
  const auto kernel = search.d_group_places ? count_kernel<true, GroupPlaces, Real>
                      : search.drop_self    ? count_kernel<true, AllPlaces, Real>
                                            : count_kernel<false, AllPlaces, Real>;
  kernel<<<blocks_for(search.query_count, k_threads), k_threads, 0, stream>>>(search, within, d_counts);
  check_launch("neighbours within the radius: count");
}

template <class Real>
void find_within(cudaStream_t stream, const Search<Real>& search, const WithinRadius& within, const ListRows& rows) {
  if (search.query_count == 0) return;
  const auto kernel = search.d_group_places ? find_kernel<true, GroupPlaces, Real>
                      : search.drop_self    ? find_kernel<true, AllPlaces, Real>
                                            : find_kernel<false, AllPlaces, Real>;
  kernel<<<blocks_for(search.query_count, k_threads), k_threads, 0, stream>>>(search, within, rows);
  check_launch("neighbours within the radius: find");
}

template void count_within(cudaStream_t, const Search<float>&, const WithinRadius&, std::uint32_t*);
template void count_within(cudaStream_t, const Search<double>&, const WithinRadius&, std::uint32_t*);
template void find_within(cudaStream_t, const Search<float>&, const WithinRadius&, const ListRows&);
template void find_within(cudaStream_t, const Search<double>&, const WithinRadius&, const ListRows&);

}  // namespace kann::cuda::exact
