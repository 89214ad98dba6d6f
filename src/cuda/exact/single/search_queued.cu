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
/// ready, since some take much longer than others. @param d_ranges by the row of a query; only if is_in_range
template <int K, class Real, bool is_in_range>
__global__ void __launch_bounds__(k_threads, k_blocks<Real>)
    search_queued_kernel(const __grid_constant__ Search<Real> search, ResultRows rows, QueryQueue queue,
                         std::uint32_t* d_next, const PlaceRange* d_ranges) {
  __shared__ SingleSearchMemory<K, Real> s_memory[k_warps];
  const auto count = static_cast<std::uint32_t>(queue.d_count ? *queue.d_count : search.known_query_count());
#pragma unroll 1
  while (true) {
    std::uint32_t entry = 0;
    if (warp::lane_id() == 0) entry = atomicAdd(d_next, 1u);
    entry = __shfl_sync(warp::k_all_lanes, entry, 0);
    if (entry >= count) return;
    const std::uint32_t slot = queue.d_slots ? queue.d_slots[entry] : entry;
    const PlacedPoint query = query_at(search, slot);
    const PlaceRange range = is_in_range ? d_ranges[query.index] : PlaceRange{};
    SingleSearch<K, Real, is_in_range> single(search, query, s_memory[threadIdx.x / warp::k_lanes], range);
    if (search.tree.point_count > 0) single.visit();
    single.write(rows);
    __syncwarp();  // the next query overwrites the memory
  }
}

template <bool is_in_range, class Real>
void launch(cudaStream_t stream, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining,
            const PlaceRange* d_ranges) {
  const unsigned blocks = std::min(blocks_for(search.query_count, k_warps), resident_blocks(k_blocks<Real>));
  const auto kernel = search.list_size <= 32 ? search_queued_kernel<32, Real, is_in_range>
                                             : search_queued_kernel<64, Real, is_in_range>;
  kernel<<<blocks, k_threads, 0, stream>>>(search, rows, remaining.single, remaining.d_next, d_ranges);
  check_launch("exact search of queued queries");
}

}  // namespace

template <class Real>
void search_queued(Pool& pool, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining) {
  launch<false>(pool.stream(), search, rows, remaining, nullptr);
}

template <class Real>
void search_in_ranges(Pool& pool, const Search<Real>& search, const ResultRows& rows, const PlaceRange* d_ranges) {
  const Buffer<std::uint32_t> next(pool, 1);
  check(cudaMemsetAsync(next.data(), 0, sizeof(std::uint32_t), pool.stream()), "exact search: zero");
  launch<true>(pool.stream(), search, rows, {{}, {}, {}, next.data()}, d_ranges);
}

template void search_queued(Pool&, const Search<float>&, const ResultRows&, const Remaining&);
template void search_queued(Pool&, const Search<double>&, const ResultRows&, const Remaining&);
template void search_in_ranges(Pool&, const Search<float>&, const ResultRows&, const PlaceRange*);
template void search_in_ranges(Pool&, const Search<double>&, const ResultRows&, const PlaceRange*);

}  // namespace kann::cuda::exact
