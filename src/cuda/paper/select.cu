#include <bit>

#include "cuda/paper/steps.hpp"
#include "cuda/paper/top_k.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::paper {
namespace {

/// A warp serves 32 / 2k queries of the partition; lane l of a query's segment has its candidate l.
template <int K, int D>
__global__ void select_kernel(const float* d_mixed, std::int64_t data_count, const std::uint32_t* d_queries,
                              std::int64_t query_count, const std::uint32_t* d_candidates, std::int64_t dropped,
                              bool first, int index_bits, NeighborKey* d_kept) {
  constexpr int width = 2 * K;
  const int rank = static_cast<int>(threadIdx.x) % width;
  // All lanes of a warp stay in the loop together, since every shuffle takes the whole warp.
  const std::int64_t warps_end = (query_count * width + warp::k_lanes - 1) / warp::k_lanes * warp::k_lanes;
  for (std::int64_t e = first_element(); e < warps_end; e += element_stride()) {
    const std::int64_t slot = e / width;
    const bool active = slot < query_count;
    const std::uint32_t mixed = active ? d_queries[slot] : 0;
    const std::int64_t query = active ? mixed - data_count : 0;

    // The distance to this lane's candidate
    Candidate candidate = candidate_of(k_absent);
    const std::uint32_t index = active ? d_candidates[e] : k_no_candidate;
    if (index != k_no_candidate && index - dropped != query) {
      const float sq_dist = sq_distance<D>(d_mixed + static_cast<std::int64_t>(mixed) * D,
                                           d_mixed + static_cast<std::int64_t>(index) * D);
      candidate = {__float_as_uint(sq_dist), index};
    }

    // The k nearest of the candidates and of the neighbours that were kept
    const TopK<K> top_k(index_bits);
    if (first) {
      candidate = top_k.first(candidate);
    } else {
      const Candidate kept = candidate_of(active && rank < K ? d_kept[query * K + rank] : k_absent);
      candidate = top_k.merge(kept, candidate);
    }
    if (active && rank < K) d_kept[query * K + rank] = key_of(candidate);
  }
}

template <int K>
void launch(const float* d_mixed, int dimensions, std::int64_t data_count, const Partition& partition,
            std::int64_t query_count, const std::uint32_t* d_candidates, std::int64_t dropped, bool first,
            NeighborKey* d_kept, cudaStream_t stream) {
  const int index_bits = std::bit_width(static_cast<std::uint64_t>(data_count));
  const auto kernel = dimensions == 3 ? select_kernel<K, 3> : select_kernel<K, 2>;
  kernel<<<blocks_for(query_count * 2 * K), k_block_threads, 0, stream>>>(
      d_mixed, data_count, partition.queries(), query_count, d_candidates, dropped, first, index_bits, d_kept);
  check_launch("paper: select");
}

}  // namespace

void select_nearest(const float* d_mixed, int dimensions, std::int64_t data_count, const Partition& partition,
                    std::int64_t query_count, const std::uint32_t* d_candidates, int k, std::int64_t dropped,
                    bool first, NeighborKey* d_kept, cudaStream_t stream) {
  if (query_count == 0) return;
  const auto launch_k = k == 2 ? launch<2> : k == 4 ? launch<4> : k == 8 ? launch<8> : launch<16>;
  launch_k(d_mixed, dimensions, data_count, partition, query_count, d_candidates, dropped, first, d_kept, stream);
}

}  // namespace kann::cuda::paper
