#include "cuda/launch.cuh"
#include "cuda/rows.hpp"

namespace kann::cuda {
namespace {

/// One thread a neighbour, so that a row is written by neighbouring threads.
__global__ void rows_kernel(const NeighborKey* d_kept, std::int64_t list_size, std::int64_t stride,
                            const std::uint32_t* d_query_order, std::int64_t query_count, std::int64_t k, double unit,
                            std::int32_t* d_ids, float* d_distances) {
  for (std::int64_t e = first_element(); e < query_count * k; e += element_stride()) {
    const std::int64_t i = e / k, j = e % k;
    const NeighborKey key = j < list_size ? d_kept[i * stride + j] : k_absent;
    const std::int64_t row = d_query_order ? d_query_order[i] : i;
    d_ids[row * k + j] = neighbor_id(key);
    d_distances[row * k + j] = neighbor_distance(key, unit);
  }
}

}  // namespace

void write_rows(const NeighborKey* d_kept, std::int64_t list_size, std::int64_t stride,
                const std::uint32_t* d_query_order, std::int64_t query_count, std::int64_t k, double unit,
                std::int32_t* d_ids, float* d_distances, cudaStream_t stream) {
  if (query_count == 0) return;
  rows_kernel<<<blocks_for(query_count * k), k_block_threads, 0, stream>>>(d_kept, list_size, stride, d_query_order,
                                                                           query_count, k, unit, d_ids, d_distances);
  check_launch("rows");
}

}  // namespace kann::cuda
