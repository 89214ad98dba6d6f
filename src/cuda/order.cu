#include "cuda/launch.cuh"
#include "cuda/order.hpp"
#include "geometry/morton.hpp"

namespace kann::cuda {
namespace {

template <int D>
__global__ void gather_kernel(const float* d_points, const std::uint32_t* d_indices, std::int64_t count,
                              PlacedPoint* d_placed) {
  for (std::int64_t i = first_element(); i < count; i += element_stride()) {
    const std::uint32_t index = d_indices[i];
    const float* point = d_points + static_cast<std::int64_t>(index) * D;
    d_placed[i] = {point[0], point[1], D == 3 ? point[D - 1] : 0.0f, index};
  }
}

template <int D>
__global__ void rank_kernel(const std::uint64_t* d_data_keys, std::int64_t data_count,
                            const std::uint64_t* d_query_codes, const std::uint32_t* d_query_order,
                            std::int64_t query_count, Shift shift, std::uint32_t* d_ranks) {
  for (std::int64_t i = first_element(); i < query_count; i += element_stride()) {
    const std::uint64_t key = sort_key<D>(d_query_codes[d_query_order[i]], shift.code, shift.bits);
    std::int64_t begin = 0, end = data_count;
    while (begin < end) {
      const std::int64_t middle = (begin + end) / 2;
      if (d_data_keys[middle] <= key) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    d_ranks[i] = static_cast<std::uint32_t>(begin);
  }
}

}  // namespace

void gather(const float* d_points, int dimensions, const std::uint32_t* d_indices, std::int64_t count,
            PlacedPoint* d_placed, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = dimensions == 3 ? gather_kernel<3> : gather_kernel<2>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_points, d_indices, count, d_placed);
  check_launch("gather");
}

void rank_queries(const std::uint64_t* d_data_keys, std::int64_t data_count, const std::uint64_t* d_query_codes,
                  const std::uint32_t* d_query_order, std::int64_t query_count, const Shift& shift,
                  std::uint32_t* d_ranks, cudaStream_t stream) {
  if (query_count == 0) return;
  const auto kernel = shift.dimensions == 3 ? rank_kernel<3> : rank_kernel<2>;

  kernel<<<blocks_for(query_count), k_block_threads, 0, stream>>>(d_data_keys, data_count, d_query_codes, d_query_order,
                                                                  query_count, shift, d_ranks);
  check_launch("rank");
}

}  // namespace kann::cuda
