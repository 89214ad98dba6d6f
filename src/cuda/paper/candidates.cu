#include "cuda/paper/steps.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/names.hpp"
#include "geometry/window.hpp"

namespace kann::cuda::paper {
namespace {

/// One element of d_candidates per thread and step of its loop.
__global__ void candidates_kernel(const std::uint32_t* d_data, const std::uint32_t* d_ranks, std::int64_t data_count,
                                  std::int64_t query_count, int k, std::uint32_t* d_candidates) {
  const int width = 2 * k;
  for (std::int64_t e = first_element(); e < query_count * width; e += element_stride()) {
    const Window window = window_around(d_ranks[e / width], k, data_count);
    const std::int64_t place = window.begin + e % width;
    d_candidates[e] = place < window.end ? d_data[place] : k_no_candidate;
  }
}

}  // namespace

void collect_candidates(const Partition& partition, std::int64_t data_count, std::int64_t query_count, int k,
                        std::uint32_t* d_candidates, cudaStream_t stream) {
  if (query_count == 0) return;
  candidates_kernel<<<blocks_for(query_count * 2 * k), k_block_threads, 0, stream>>>(
      partition.data(), partition.ranks(), data_count, query_count, k, d_candidates);
  check_launch("paper: candidates");
}

}  // namespace kann::cuda::paper
