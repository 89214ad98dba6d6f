// Searches with lists of up to 16 neighbours, a warp for 32 queries. Float32 distances decide nearly all queries. Those
// that they do not decide are searched for again, and so are those of a warp that has too many buckets to visit. If
// these are many, the queries that follow are left to that second search at once.

#include "cuda/exact/rank.cuh"
#include "cuda/exact/teams/filtered_search.cuh"
#include "cuda/exact/teams/first_bound.cuh"
#include "cuda/exact/teams/float32_list.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/nearest_list.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;

/// Blocks per multiprocessor, which limit the registers: the compiler's own choice leaves fewer warps.
template <class Real>
constexpr int min_blocks(int K) {
  if (std::is_same_v<Real, double>) return K <= 8 ? 4 : 3;
  return K <= 8 ? 8 : 5;
}

/// Two threads per warp of the search.
template <class Real>
__global__ void places_kernel(const __grid_constant__ Search<Real> search, std::uint32_t* d_places) {
  const std::int64_t i = first_element(), last = search.known_query_count() - 1;
  if (i / 2 * warp::k_lanes > last) return;
  const std::int64_t slot = min(i / 2 * warp::k_lanes + i % 2 * (warp::k_lanes - 1), last);
  const PlacedPoint point = query_at(search, slot);
  d_places[i] = static_cast<std::uint32_t>(place_of(search, slot, point, Query<Real>(search, point)));
}

/// One thread per query. Queries that it does not finish are added to `remaining`.
template <int K, bool drops_self, class Real>
__global__ void __launch_bounds__(k_threads, min_blocks<Real>(K))
    search_kernel(const __grid_constant__ Search<Real> search, const std::uint32_t* d_places, ResultRows rows,
                  Remaining remaining) {
  using List = Float32List<K, Real, drops_self>;
  __shared__ FilteredSearchMemory<List> s_memory[k_warps];
  const std::int64_t i = first_element(), last = search.known_query_count() - 1;
  if (i - warp::lane_id() > last) return;  // a warp without queries
  const bool active = i <= last;
  const auto slot = static_cast<std::uint32_t>(active ? i : last);
  if (__any_sync(warp::k_all_lanes, remaining.are_many_undecided(slot))) {
    remaining.undecided_warps.add(warp::lane_id() == 0, slot / warp::k_lanes);
    return;
  }
  bool is_single = __any_sync(warp::k_all_lanes, remaining.are_many_single(slot)), is_decided = false;
  if (!is_single) {
    const PlaceRange places{d_places[slot / warp::k_lanes * 2], d_places[slot / warp::k_lanes * 2 + 1]};
    is_single = are_apart(places);
    if (!is_single) {
      const Query<Real> query(search, query_at(search, slot));
      FilteredSearch<List> filtered(search, query, s_memory[threadIdx.x / warp::k_lanes]);
      const bool ends =
          filtered.search_within(first_bound<K, drops_self>(search, query, places, {0, search.tree.point_count}));
      is_single = std::is_same_v<Real, double> || (!ends && !filtered.list().are_at_query());
      is_decided = ends && filtered.list().is_decided(search.list_size);
      if (active && is_decided) is_decided = filtered.list().write(rows, query.row);
    }
  }
  remaining.single.add(active && !is_decided && is_single, slot);
  remaining.undecided.add(active && !is_decided && !is_single, slot);
}

std::int64_t warps_for(std::int64_t query_count) { return (query_count + warp::k_lanes - 1) / warp::k_lanes; }

template <int K, class Real>
void launch(Pool& pool, const Search<Real>& search, const ResultRows& rows) {
  const cudaStream_t stream = pool.stream();
  const std::int64_t count = search.query_count, warps = warps_for(count);
  const Buffer<std::uint32_t> slots(pool, 2 * count + warps), counts(pool, 4);
  check(cudaMemsetAsync(counts.data(), 0, 4 * sizeof(std::uint32_t), stream), "exact search: zero");
  const Remaining remaining{{slots.data(), counts.data()},
                            {slots.data() + 2 * count, counts.data() + 1},
                            {slots.data() + count, counts.data() + 2},
                            counts.data() + 3};
  const Buffer<std::uint32_t> places = places_of_warps(pool, search);
  // Without the test for the query itself, float32 kernels are 2 to 4 % faster; float64 kernels without it would only
  // be more code
  constexpr bool always = std::is_same_v<Real, double>;
  const auto kernel = search.drop_self ? search_kernel<K, true, Real> : search_kernel<K, always, Real>;
  kernel<<<blocks_for(count, k_threads), k_threads, 0, stream>>>(search, places.data(), rows, remaining);
  check_launch("exact search");
  if constexpr (std::is_same_v<Real, float>) search_lattices(pool, search, rows, remaining);
  search_queued(pool, search, rows, remaining);
}

/// Searches for queries that see the places of their groups: for those of one group together, then for the others.
template <class Real>
void search_groups(Pool& pool, const Search<Real>& search, const ResultRows& rows) {
  const Buffer<std::uint32_t> slots(pool, search.query_count), counts(pool, 2);
  check(cudaMemsetAsync(counts.data(), 0, 2 * sizeof(std::uint32_t), pool.stream()), "exact search: zero");
  const QueryQueue left{slots.data(), counts.data()};
  search_near(pool, search, rows, left);
  search_queued(pool, search, rows, {{}, {}, left, counts.data() + 1});
}

}  // namespace

bool are_few(std::int64_t query_count, std::int64_t data_count, std::int64_t list_size, bool are_in_order) {
  const std::int64_t few = are_in_order ? 1 << 13 : 1 << 15;
  return query_count <= std::max(few, data_count / 32) && list_size <= k_max_filtered_list;
}

template <class Real>
Buffer<std::uint32_t> places_of_warps(Pool& pool, const Search<Real>& search) {
  const std::int64_t places = 2 * warps_for(search.query_count);
  Buffer<std::uint32_t> all(pool, places);
  places_kernel<<<blocks_for(places), k_block_threads, 0, pool.stream()>>>(search, all.data());
  check_launch("exact search: places");
  return all;
}

template <class Real>
void search(Pool& pool, const Search<Real>& search, const ResultRows& rows) {
  if (search.query_count == 0) return;
  if (!search.d_group_places && search.list_size > k_max_filtered_list) return search_long_lists(pool, search, rows);
  const bool are_in_order = search.queries.source.d_placed || search.queries.d_from;
  const bool are_alone = search.d_group_places && rows.k > k_max_near_list;
  if (are_alone || are_few(search.query_count, search.tree.point_count, search.list_size, are_in_order)) {
    const Buffer<std::uint32_t> next(pool, 1);
    check(cudaMemsetAsync(next.data(), 0, sizeof(std::uint32_t), pool.stream()), "exact search: zero");
    return search_queued(pool, search, rows, {{}, {}, {}, next.data()});
  }
  if (search.d_group_places) return search_groups(pool, search, rows);
  thread::with_list(search.list_size, [&](auto k) {
    if constexpr (k() <= k_max_filtered_list) launch<k()>(pool, search, rows);
  });
}

template Buffer<std::uint32_t> places_of_warps(Pool&, const Search<float>&);
template Buffer<std::uint32_t> places_of_warps(Pool&, const Search<double>&);
template void search(Pool&, const Search<float>&, const ResultRows&);
template void search(Pool&, const Search<double>&, const ResultRows&);

}  // namespace kann::cuda::exact
