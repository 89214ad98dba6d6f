#include "cuda/paper/steps.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/names.hpp"
#include "geometry/morton.hpp"

namespace kann::cuda::paper {
namespace {

/// One mixed point per thread and step of its loop.
template <int D>
__global__ void index_and_encode_kernel(const float* d_mixed, std::int64_t count, Grid grid, Shift shift,
                                        std::uint64_t* d_codes, std::uint32_t* d_indices) {
  for (std::int64_t i = first_element(); i < count; i += element_stride()) {
    d_codes[i] = shifted_code<D>(d_mixed + i * D, grid, shift.cells);
    d_indices[i] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace

void index_and_encode(const float* d_mixed, std::int64_t count, const Grid& grid, const Shift& shift,
                      std::uint64_t* d_codes, std::uint32_t* d_indices, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = shift.dimensions == 3 ? index_and_encode_kernel<3> : index_and_encode_kernel<2>;

  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_mixed, count, grid, shift, d_codes, d_indices);
  check_launch("paper: index and encode");
}

}  // namespace kann::cuda::paper
