#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/shifted_sort/doubtful.hpp"
#include "cuda/shifted_sort/row_doubt.cuh"

namespace kann::cuda {
namespace {

constexpr std::int64_t k_stride = 128;

/// One thread per k_stride points: it tests whether the first of them and the first of the next k_stride are in one
/// cell, and so all points between them.
template <int D>
__global__ void count_crowded_kernel(const PlacedPoint* d_placed, std::int64_t count, Grid grid,
                                     std::uint32_t* d_crowded) {
  const std::int64_t i = first_element() * k_stride;
  bool is_crowded = false;
  if (i + k_stride < count) {
    std::uint32_t cell[D], next[D];
    set_cell<D>(d_placed[i], grid, cell);
    set_cell<D>(d_placed[i + k_stride], grid, next);
    is_crowded = highest_difference<D>(cell, next) < 0;
  }
  const int crowded = __syncthreads_count(is_crowded);
  if (threadIdx.x == 0 && crowded > 0) atomicAdd(d_crowded, crowded);
}

}  // namespace

Doubtful find_doubtful(Pool& pool, const bool* d_flags, std::int64_t query_count, const PlacedPoint* d_placed,
                       std::int64_t data_count, const Grid& grid, int dimensions) {
  const cudaStream_t stream = pool.stream();
  const Buffer<std::uint32_t> counts(pool, 2);  // the numbers of doubtful queries, and of crowded strides
  check(cudaMemsetAsync(counts.data(), 0, 2 * sizeof(std::uint32_t), stream), "doubtful: zero");
  Doubtful doubtful;
  doubtful.slots = Buffer<std::uint32_t>(pool, query_count);
  const thrust::counting_iterator<std::uint32_t> slots(0);
  const auto select = [&](void* d_storage, std::size_t& bytes) {
    check(cub::DeviceSelect::Flagged(d_storage, bytes, slots, d_flags, doubtful.slots.data(), counts.data(),
                                     query_count, stream),
          "DeviceSelect::Flagged");
  };
  std::size_t bytes = 0;
  select(nullptr, bytes);
  const Buffer<std::byte> storage(pool, static_cast<std::int64_t>(bytes));
  select(storage.data(), bytes);
  const std::int64_t strides = data_count / k_stride;
  if (strides > 0) {
    const auto kernel = dimensions == 3 ? count_crowded_kernel<3> : count_crowded_kernel<2>;
    kernel<<<blocks_for(strides), k_block_threads, 0, stream>>>(d_placed, data_count, grid, counts.data() + 1);
    check_launch("count_crowded");
  }
  std::uint32_t found[2];
  check(cudaMemcpyAsync(found, counts.data(), sizeof found, cudaMemcpyDeviceToHost, stream), "doubtful: counts");
  check(cudaStreamSynchronize(stream), "doubtful: counts");
  doubtful.count = found[0];
  doubtful.crowded = found[1] * k_stride;
  return doubtful;
}

}  // namespace kann::cuda
