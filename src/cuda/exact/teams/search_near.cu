// Searches along the curve with lists of 17 to 32 neighbours, and in groups with those of up to 32: a warp for 32
// queries together, among the points of all buckets that the bounds from the data around their places do not rule out.
// For 2²³ queries of a surface and 32 neighbours, this takes 11 ms; one query after another, it would take 18.
#include <cstddef>

#include "cuda/exact/rank.cuh"
#include "cuda/exact/teams/first_bound.cuh"
#include "cuda/exact/teams/near_buckets.cuh"
#include "cuda/exact/teams/row_ends.hpp"
#include "cuda/exact/teams/team_search.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 2;
constexpr int k_threads = k_warps * warp::k_lanes;
/// The points that a team stages at once. With 384, there are fewer warps, and the search takes 6 % longer.
constexpr int k_staged = 256;
template <int K, class Real, class Places>
using Memory = TeamMemory<K, NearBuckets<Real, Places>>;

/// Whether all queries of a warp see the same places. Called by all 32 lanes.
__device__ __forceinline__ bool are_same(const AllPlaces&) { return true; }
__device__ __forceinline__ bool are_same(const GroupPlaces& places) {
  const std::int32_t begin = __shfl_sync(warp::k_all_lanes, places.begin, 0),
                     end = __shfl_sync(warp::k_all_lanes, places.end, 0);
  return __all_sync(warp::k_all_lanes, places.begin == begin && places.end == end);
}

/// One thread per query. Queries whose row is not proven are added to `left`. Lists of up to K neighbours.
template <int K, class Real, bool drops_self, class Places>
__global__ void __launch_bounds__(k_threads)
    search_near_kernel(const __grid_constant__ Search<Real> search, const std::uint32_t* d_places, ResultRows rows,
                       RowEnds ends, QueryQueue left) {
  extern __shared__ uint4 s_all[];
  using OfWarp = Memory<K, Real, Places>;
  auto& s_memory = *reinterpret_cast<OfWarp*>(reinterpret_cast<std::byte*>(s_all) +
                                              threadIdx.x / warp::k_lanes * OfWarp::bytes(k_staged));
  const std::int64_t i = first_element(), last = search.query_count - 1;
  if (i - warp::lane_id() > last) return;  // a warp without queries
  const auto slot = static_cast<std::uint32_t>(min(i, last));
  const PlaceRange places{d_places[slot / warp::k_lanes * 2], d_places[slot / warp::k_lanes * 2 + 1]};
  const auto seen = places_seen<Places>(search, slot);
  bool is_proven = false;
  if (are_same(seen) && !are_apart(places) && !__any_sync(warp::k_all_lanes, are_many(left.count(), slot))) {
    const Query<Real> query(search, query_at(search, slot));
    // A ball that is a little larger than the bound proves a row whose last neighbour is at the bound
    const float nearest = first_bound<K, drops_self>(search, query, places, seen.window(search.tree.point_count)),
                bound = query.filter_above(query.exact_above(nearest)) * (1 + 0x1p-14f);
    const float sq_radius = bound > 0x1p-100f && bound < 0x1p100f ? bound : -1;
    Real limit = sq_radius;
    if constexpr (std::is_same_v<Real, double>) limit = sq_radius < 0 ? -1 : query.exact_above(sq_radius);
    NearBuckets<Real, Places> near(search.tree, query, limit, seen, s_memory.near);
    const float reach = sqrtf(fmaxf(warp::reduce_max(sq_radius), 0.0f));
    TeamSearch<K, Real, drops_self, true, NearBuckets<Real, Places>> team(search, query, near, sq_radius, reach,
                                                                          k_staged, s_memory);
    is_proven = team.write(rows, ends, query.row);
  }
  left.add(i <= last && !is_proven, slot);
}

template <int K, bool drops_self, class Places, class Real>
void launch(Pool& pool, const Search<Real>& search, const ResultRows& rows, const QueryQueue& left) {
  const Buffer<std::uint32_t> places = places_of_warps(pool, search);
  const int slot_words = slot_words_for(rows.k);
  const Buffer<std::uint32_t> slots(pool, search.query_count * slot_words);
  const RowEnds ends{slots.data(), slot_words};
  constexpr unsigned bytes = k_warps * Memory<K, Real, Places>::bytes(k_staged);
  static_assert(bytes <= 48 << 10);
  const auto kernel = search_near_kernel<K, Real, drops_self, Places>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), "search in near buckets");
  kernel<<<blocks_for(search.query_count, k_threads), k_threads, bytes, pool.stream()>>>(search, places.data(), rows,
                                                                                         ends, left);
  check_launch("search in near buckets");
  join_row_ends(ends, search.query_count, rows, pool.stream());
}

}  // namespace

template <class Real>
bool is_for_near(const Search<Real>& search, const ResultRows& rows) {
  // With a query for eight points, this takes a tenth longer than one query after another; for four, a tenth less
  return search.are_all_rows && rows.k == search.list_size && rows.k > k_max_filtered_list &&
         rows.k <= k_max_near_list && search.query_count >= search.tree.point_count / 4;
}

template <class Real>
void search_near(Pool& pool, const Search<Real>& search, const ResultRows& rows, const QueryQueue& left) {
  constexpr int most = k_max_near_list;
  constexpr bool always = std::is_same_v<Real, double>;  // as in search_warps.cu
  if (search.d_group_places) {
    constexpr int few = 8;
    return rows.k <= few ? launch<few, true, GroupPlaces>(pool, search, rows, left)
                         : launch<most, true, GroupPlaces>(pool, search, rows, left);
  }
  search.drop_self ? launch<most, true, AllPlaces>(pool, search, rows, left)
                   : launch<most, always, AllPlaces>(pool, search, rows, left);
}

template bool is_for_near(const Search<float>&, const ResultRows&);
template bool is_for_near(const Search<double>&, const ResultRows&);
template void search_near(Pool&, const Search<float>&, const ResultRows&, const QueryQueue&);
template void search_near(Pool&, const Search<double>&, const ResultRows&, const QueryQueue&);

}  // namespace kann::cuda::exact
