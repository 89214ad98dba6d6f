#include "cuda/paper/steps.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::paper {
namespace {

/// One neighbour per thread and step of its loop, so that a row is written by neighbouring threads.
__global__ void rows_kernel(const NeighborKey* d_kept, std::int64_t count, ResultRows rows) {
  for (std::int64_t e = first_element(); e < count; e += element_stride()) {
    rows.d_ids[e] = neighbor_id(d_kept[e]);
    rows.d_distances[e] = neighbor_distance(d_kept[e], rows.unit);
  }
}

}  // namespace

void write_rows(const NeighborKey* d_kept, std::int64_t query_count, const ResultRows& rows, cudaStream_t stream) {
  if (query_count == 0) return;
  const std::int64_t count = query_count * rows.k;
  rows_kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_kept, count, rows);
  check_launch("paper: rows");
}

}  // namespace kann::cuda::paper
