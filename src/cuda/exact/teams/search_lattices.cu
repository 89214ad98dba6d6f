// Searches for the queries whose short lists the float32 filter does not decide, a warp for 32 of them, where float32
// distances are exact, as on lattices.
#include "cuda/exact/exact_float32_limit.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/exact/teams/exact_float32_list.cuh"
#include "cuda/exact/teams/filtered_search.cuh"
#include "cuda/exact/teams/first_bound.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/thread/nearest_list.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;

/// If queries are further apart than this, in slots, they are not searched for together.
constexpr std::uint32_t k_max_slots_apart = 512;

/// Up to this many queries are searched for one by one: in groups of 32, they would leave most warps without work.
constexpr std::int64_t k_few = 1 << 13;

/// Blocks per multiprocessor, which limit the registers to 64, 72 and 96: the compiler's own choice leaves fewer warps.
/// A planar grid of 2²³ points takes 5.9, 6.9 and 11.1 ms for k = 4, 8 and 16 (H200); with 6, 6 and 4 blocks, 6.1, 7.0
/// and 11.2.
constexpr int min_blocks(int K) { return K <= 4 ? 8 : K <= 8 ? 7 : 5; }

template <int K>
using LatticeMemory = FilteredSearchMemory<ExactFloat32List<K>>;

/// Searches for the queries of a warp, one per lane, and writes the rows of active lanes. `places`: where the queries
/// are among the data. Returns false if float32 distances may not be exact. Called by all 32 lanes.
template <int K>
__device__ __forceinline__ bool search_exactly(const Search<float>& search, std::uint32_t slot,
                                               const Query<float>& query, const PlaceRange& places, bool active,
                                               LatticeMemory<K>& s_memory, const ResultRows& rows) {
  const float nearest = first_bound<K, true>(search, query, places, {0, search.tree.point_count});
  if (!__all_sync(warp::k_all_lanes, nearest < exact_float32_limit(search.tree, query))) return false;
  FilteredSearch<ExactFloat32List<K>> filtered(search, query, s_memory);
  filtered.search_within(nearest);
  if (active) filtered.list().write(rows, query.row);
  __syncwarp();  // the next queries overwrite the memory
  return true;
}

/// Searches for the queries at the slots of the lanes in `left`. Adds those to `single` whose float32 distances may not
/// be exact, and those that are not near any other of these queries. Called by all 32 lanes.
template <int K>
__device__ __forceinline__ void search_together(const Search<float>& search, std::uint32_t own_slot, unsigned left,
                                                LatticeMemory<K>& s_memory, const ResultRows& rows,
                                                const QueryQueue& single) {
  while (left != 0) {
    // The first lane that is left forms a group with the lanes whose slots are near its own
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const std::uint32_t leader_slot = __shfl_sync(warp::k_all_lanes, own_slot, leader);
    const bool is_left = left >> warp::lane_id() & 1;
    const bool joins = is_left && own_slot - leader_slot + k_max_slots_apart <= 2 * k_max_slots_apart;
    const unsigned group = __ballot_sync(warp::k_all_lanes, joins);
    left &= ~group;
    const std::uint32_t slot = joins ? own_slot : leader_slot;
    const PlacedPoint point = query_at(search, slot);
    const Query<float> query(search, point);
    const std::int64_t own_place = place_of(search, slot, point, query);
    const PlaceRange places = {__shfl_sync(warp::k_all_lanes, own_place, leader),
                               __shfl_sync(warp::k_all_lanes, own_place, highest(group))};
    const bool are_found = group != 1u << leader && !are_apart(places) &&
                           search_exactly<K>(search, slot, query, places, joins, s_memory, rows);
    single.add(joins && !are_found, own_slot);
  }
}

/// Searches for the undecided queries, a warp for 32 of them. The host does not know how many there are.
template <int K>
__global__ void __launch_bounds__(k_threads, min_blocks(K))
    search_lattices_kernel(const __grid_constant__ Search<float> search, ResultRows rows, Remaining remaining) {
  __shared__ LatticeMemory<K> s_memory[k_warps];
  const std::int64_t first_warp = first_element() / warp::k_lanes, warps = element_stride() / warp::k_lanes;
  const std::int64_t slots = *remaining.undecided.d_count, whole_warps = *remaining.undecided_warps.d_count;
  const std::int64_t groups = whole_warps + (slots + warp::k_lanes - 1) / warp::k_lanes;
  for (std::int64_t i = first_warp; i < groups; i += warps) {
    std::uint32_t slot = 0;
    bool exists = false, are_few = false;
    if (i < whole_warps) {
      slot = remaining.undecided_warps.d_slots[i] * warp::k_lanes + warp::lane_id();
      exists = slot < search.known_query_count();
    } else {
      const std::int64_t entry = (i - whole_warps) * warp::k_lanes + warp::lane_id();
      exists = entry < slots;
      if (exists) slot = remaining.undecided.d_slots[entry];
      are_few = slots <= k_few;
    }
    if (are_few) {
      remaining.single.add(exists, slot);
    } else {  // called once: a second copy of its code would take as long to compile as the first
      search_together(search, slot, __ballot_sync(warp::k_all_lanes, exists), s_memory[threadIdx.x / warp::k_lanes],
                      rows, remaining.single);
    }
  }
}

template <int K>
void launch(Pool& pool, const Search<float>& search, const ResultRows& rows, const Remaining& remaining) {
  const unsigned blocks = std::min(blocks_for(search.query_count, k_threads), resident_blocks(min_blocks(K)));
  search_lattices_kernel<K><<<blocks, k_threads, 0, pool.stream()>>>(search, rows, remaining);
  check_launch("exact search of lattices");
}

}  // namespace

void search_lattices(Pool& pool, const Search<float>& search, const ResultRows& rows, const Remaining& remaining) {
  thread::with_list(search.list_size, [&](auto k) {
    if constexpr (k() <= k_max_filtered_list) launch<k()>(pool, search, rows, remaining);
  });
}

}  // namespace kann::cuda::exact
