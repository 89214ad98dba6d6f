// Lists of up to 16 neighbours, a warp per 32 queries. Float32 distances decide nearly all queries; those
// that they do not are searched again: by float64 distances, or by float32 ones that are exact, as on lattices. Where
// these are many, the queries that follow are searched so at once.
#include "cuda/exact/exact_float32_list.cuh"
#include "cuda/exact/filtered_search.cuh"
#include "cuda/exact/float64_list.cuh"
#include "cuda/exact/nearest_around.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/exact/warp_search.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/list_size.hpp"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;

/// Longer lists: of 32 neighbours, with 2²³ uniform queries, take 29 ms here and 21 by search_long_lists().
constexpr std::int64_t k_max_size = 16;

/// Queries that are not decided, in any order: single ones by their slots, and warps of them by slot / 32.
struct Undecided {
  std::uint32_t* d_slots;
  std::uint32_t* d_warps;
  std::uint32_t* d_counts;  ///< of both

  __device__ __forceinline__ void add(std::uint32_t slot) const { d_slots[atomicAdd(&d_counts[0], 1u)] = slot; }
  __device__ __forceinline__ void add_warp(std::uint32_t warp) const { d_warps[atomicAdd(&d_counts[1], 1u)] = warp; }

  /// Whether more than one in eight of the queries before `slot` is not decided: blocks begin in the order of their
  /// slots. To search for many queries twice takes longer than to search for all by float64. Not asked of the first
  /// queries, which are too few to tell.
  __device__ __forceinline__ bool are_many(std::uint32_t slot) const {
    constexpr std::uint32_t enough = 1 << 16;
    const volatile std::uint32_t* const d_now = d_counts;
    return d_now[0] + d_now[1] * warp::k_lanes > max(slot, enough) / 8;
  }
};

/// If the queries of a warp are further apart than this, in slots or in places among the data, they are not searched
/// for together: a box around all of them would hold most of the data.
constexpr std::uint32_t k_max_slots_apart = 512;
constexpr std::int64_t k_max_places_apart = 8192;

/// The place among the data of the query of lane `source`. Called by all 32 lanes with their queries' slots, points and
/// keys; valid in all. `from`: as place_of().
template <class Real>
__device__ __forceinline__ std::int64_t place_of_lane(const Search<Real>& search, int source, std::uint32_t slot,
                                                      const PlacedPoint& point, std::uint64_t key, std::int64_t from) {
  if (!search.d_data_keys) return known_place(search, __shfl_sync(warp::k_all_lanes, slot, source));
  return place_of(search, __shfl_sync(warp::k_all_lanes, key, source),
                  Query<Real>(search, shuffle(point, source)).given(), from);
}

/// The places of the queries of two lanes, likewise.
struct PlaceRange {
  std::int64_t first, last;
};
template <class Real>
__device__ __forceinline__ PlaceRange place_range(const Search<Real>& search, std::uint32_t slot,
                                                  const PlacedPoint& point, int first = 0,
                                                  int last = warp::k_lanes - 1) {
  const std::uint64_t key = search.d_data_keys ? rank_key(search, point) : 0;
  const std::int64_t first_place = place_of_lane(search, first, slot, point, key, 0);
  const bool is_after = __shfl_sync(warp::k_all_lanes, key, first) < __shfl_sync(warp::k_all_lanes, key, last);
  return {first_place, place_of_lane(search, last, slot, point, key, is_after ? first_place : 0)};
}

/// Searches for the queries of a warp, one per lane, from bounds on. Called by all 32 lanes. Returns whether the lane's
/// query is decided; its row is then written if the lane is active.
template <class WarpSearch, class Real, class Memory>
__device__ __forceinline__ bool search_by(const Search<Real>& search, std::uint32_t slot, const Query<Real>& query,
                                          float nearest, bool active, Memory& s_memory, const ResultRows& rows) {
  WarpSearch warp_search(search, query, s_memory);
  warp_search.bound_by(nearest);
  warp_search.visit();
  if (!warp_search.list().is_decided(search.list_size)) return false;
  if (active) warp_search.list().write(rows, row_of(search, slot, query));
  return true;
}

/// nearest_around() of the lane's query, where the warp's queries have these places among the data.
template <int K, class Real>
__device__ __forceinline__ float nearest_around(const Search<Real>& search, const Query<Real>& query,
                                                const PlaceRange& places) {
  return nearest_around<K>(search.tree, query, min(places.first, places.last), max(places.first, places.last));
}

/// Whether queries are too far apart to be searched for together. Valid in all lanes if the places are.
__device__ __forceinline__ bool are_apart(const PlaceRange& places) {
  return places.last - places.first > k_max_places_apart || places.first - places.last > k_max_places_apart;
}

/// Blocks per multiprocessor, which limit the registers: the compiler's own choice leaves fewer warps.
template <class Real>
constexpr int min_blocks(bool is_float32_list, int K) {
  if (std::is_same_v<Real, double>) return K <= 8 ? 4 : K <= 16 ? 3 : 2;
  if (is_float32_list) return K <= 4 ? 8 : K <= 8 ? 7 : 5;
  return K <= 8 ? 6 : K <= 16 ? 4 : 2;
}

/// One thread per query.
template <int K, class Real>
__global__ void __launch_bounds__(k_threads, min_blocks<Real>(true, K))
    search_kernel(const __grid_constant__ Search<Real> search, ResultRows rows, Undecided undecided) {
  __shared__ FilteredSearchMemory<K, Real> s_memory[k_warps];
  const std::int64_t i = first_element(), last = search.query_count - 1;
  if (i - warp::lane_id() > last) return;  // a warp without queries
  const bool active = i <= last;
  const auto slot = static_cast<std::uint32_t>(active ? i : last);
  if (__any_sync(warp::k_all_lanes, undecided.are_many(slot))) {
    if (warp::lane_id() == 0) undecided.add_warp(slot / warp::k_lanes);
    return;
  }
  const PlacedPoint point = query_at(search, slot);
  const PlaceRange places = place_range(search, slot, point);
  bool decided = false;
  if (!are_apart(places)) {
    const Query<Real> query(search, point);
    FilteredSearch<K, Real> filtered(search, query, s_memory[threadIdx.x / warp::k_lanes]);
    filtered.search_within(nearest_around<K>(search, query, places));
    decided = filtered.list().is_decided(search.list_size);
    if (active && decided) filtered.list().write(rows, row_of(search, slot, query));
  }
  if (active && !decided) undecided.add(slot);
}

/// Searches for the queries of the active lanes, by distances that decide all. Called by all 32 lanes.
template <int K, class Real>
__device__ __forceinline__ void search_exactly(const Search<Real>& search, std::uint32_t slot, const PlacedPoint& point,
                                               const PlaceRange& places, bool active, WarpMemory<K, Real>& s_memory,
                                               const ResultRows& rows) {
  const Query<Real> query(search, point);
  const float nearest = nearest_around<K>(search, query, places);
  if constexpr (std::is_same_v<Real, float>) {
    if (__all_sync(warp::k_all_lanes, nearest < exact_float32_limit(search.tree, query))) {
      search_by<WarpSearch<ExactFloat32List<K>, float>>(search, slot, query, nearest, active, s_memory, rows);
      return;
    }
  }
  search_by<WarpSearch<Float64List<K, Real>, Real>>(search, slot, query, nearest, active, s_memory, rows);
}

/// Searches exactly for the queries at the slots of the lanes in `left`. Called by all 32 lanes.
template <int K, class Real>
__device__ __forceinline__ void search_those_left(const Search<Real>& search, std::uint32_t own_slot, unsigned left,
                                                  WarpMemory<K, Real>& s_memory, const ResultRows& rows) {
  while (left != 0) {
    // Neighbours are searched for together, those of the first lane that is left first
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const std::uint32_t leader_slot = __shfl_sync(warp::k_all_lanes, own_slot, leader);
    const bool is_left = left >> warp::lane_id() & 1;
    bool joins = is_left && own_slot - leader_slot + k_max_slots_apart <= 2 * k_max_slots_apart;
    unsigned group = __ballot_sync(warp::k_all_lanes, joins);
    std::uint32_t slot = joins ? own_slot : leader_slot;
    PlacedPoint point = query_at(search, slot);
    PlaceRange places = place_range(search, slot, point, leader, highest(group));
    if (are_apart(places)) {
      joins = warp::lane_id() == leader;
      group = 1u << leader;
      slot = leader_slot;
      point = shuffle(point, leader);
      places.last = places.first;
    }
    search_exactly<K>(search, slot, point, places, joins, s_memory, rows);
    left &= ~group;
  }
}

/// The undecided queries, whose number the host does not know.
template <int K, class Real>
__global__ void __launch_bounds__(k_threads, min_blocks<Real>(false, K))
    search_undecided_kernel(const __grid_constant__ Search<Real> search, ResultRows rows, Undecided undecided) {
  __shared__ WarpMemory<K, Real> s_memory[k_warps];
  const unsigned warp = threadIdx.x / warp::k_lanes;
  const std::int64_t first_warp = first_element() / warp::k_lanes, warps = element_stride() / warp::k_lanes;
  const std::int64_t slots = undecided.d_counts[0], whole_warps = undecided.d_counts[1];
  for (std::int64_t i = first_warp; i < whole_warps; i += warps) {
    const std::uint32_t slot = undecided.d_warps[i] * warp::k_lanes + warp::lane_id();
    const unsigned left = __ballot_sync(warp::k_all_lanes, slot < search.query_count);
    search_those_left(search, slot, left, s_memory[warp], rows);
  }
  // A warp for each of the others while there are enough warps, as they are far apart
  const std::int64_t at_once = slots <= warps ? 1 : warp::k_lanes;
  for (std::int64_t begin = first_warp * at_once; begin < slots; begin += warps * at_once) {
    const int queries = static_cast<int>(min(slots - begin, at_once));
    const std::uint32_t slot = undecided.d_slots[begin + min(queries - 1, warp::lane_id())];
    search_those_left(search, slot, warp::k_all_lanes >> (warp::k_lanes - queries), s_memory[warp], rows);
  }
}

/// As many blocks as the device runs at once.
unsigned resident_blocks(int per_multiprocessor) {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return static_cast<unsigned>(multiprocessors * per_multiprocessor);
}

template <int K, class Real>
void launch(Pool& pool, const Search<Real>& search, const ResultRows& rows) {
  const cudaStream_t stream = pool.stream();
  const std::int64_t count = search.query_count;
  const Buffer<std::uint32_t> slots(pool, count), warps(pool, (count + warp::k_lanes - 1) / warp::k_lanes),
      counts(pool, 2);
  const Undecided undecided{slots.data(), warps.data(), counts.data()};
  check(cudaMemsetAsync(counts.data(), 0, 2 * sizeof(std::uint32_t), stream), "exact search: zero");
  search_kernel<K><<<blocks_for(count, k_threads), k_threads, 0, stream>>>(search, rows, undecided);
  check_launch("exact search");
  const unsigned blocks = std::min(blocks_for(count, k_threads), resident_blocks(min_blocks<Real>(false, K)));
  search_undecided_kernel<K><<<blocks, k_threads, 0, stream>>>(search, rows, undecided);
  check_launch("exact search of undecided queries");
}

}  // namespace

template <class Real>
void search(Pool& pool, const Search<Real>& search, const ResultRows& rows) {
  if (search.query_count == 0) return;
  if (search.list_size > k_max_size) return search_long_lists(pool, search, rows);
  thread::with_list(search.list_size, [&](auto k) {
    if constexpr (k() <= k_max_size) launch<k()>(pool, search, rows);
  });
}

template void search(Pool&, const Search<float>&, const ResultRows&);
template void search(Pool&, const Search<double>&, const ResultRows&);

}  // namespace kann::cuda::exact
