// Searches for queries that are far apart: a warp searches for one after another.
#include <type_traits>

#include "cuda/exact/single/single_search.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::exact {
namespace {

constexpr int k_warps = 4;
constexpr int k_threads = k_warps * warp::k_lanes;
/// Blocks per multiprocessor.
template <class Real>
constexpr int k_blocks = std::is_same_v<Real, float> ? 8 : 5;

/// Searches for the queries of a queue, whose number the host does not know. Each warp takes the next query when it is
/// ready, since some take much longer than others.
template <int K, class Places, class Real>
__global__ void __launch_bounds__(k_threads, k_blocks<Real>)
    search_queued_kernel(const __grid_constant__ Search<Real> search, ResultRows rows, QueryQueue queue,
                         std::uint32_t* d_next) {
  __shared__ SingleSearchMemory<K, Real> s_memory[k_warps];
  const auto count = static_cast<std::uint32_t>(queue.d_count ? *queue.d_count : search.known_query_count());
#pragma unroll 1
  while (true) {
    std::uint32_t entry = 0;
    if (warp::lane_id() == 0) entry = atomicAdd(d_next, 1u);
    entry = __shfl_sync(warp::k_all_lanes, entry, 0);
    if (entry >= count) return;
    const std::uint32_t slot = queue.d_slots ? queue.d_slots[entry] : entry;
    SingleSearch<K, Real, Places> single(search, query_at(search, slot), places_seen<Places>(search, slot),
                                         s_memory[threadIdx.x / warp::k_lanes]);
    if (search.tree.point_count > 0) single.visit();
    single.write(rows);
    __syncwarp();  // the next query overwrites the memory
  }
}

template <class Places, class Real>
void launch(Pool& pool, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining) {
  const unsigned blocks = std::min(blocks_for(search.query_count, k_warps), resident_blocks(k_blocks<Real>));
  const auto kernel =
      search.list_size <= 32 ? search_queued_kernel<32, Places, Real> : search_queued_kernel<64, Places, Real>;
  kernel<<<blocks, k_threads, 0, pool.stream()>>>(search, rows, remaining.single, remaining.d_next);
  check_launch("exact search of queued queries");
}

}  // namespace

template <class Real>
void search_queued(Pool& pool, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining) {
  search.d_group_places ? launch<GroupPlaces>(pool, search, rows, remaining)
                        : launch<AllPlaces>(pool, search, rows, remaining);
}

template void search_queued(Pool&, const Search<float>&, const ResultRows&, const Remaining&);
template void search_queued(Pool&, const Search<double>&, const ResultRows&, const Remaining&);

}  // namespace kann::cuda::exact
