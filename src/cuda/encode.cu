#include "cuda/encode.hpp"
#include "cuda/launch.cuh"
#include "geometry/morton.hpp"

namespace kann::cuda {
namespace {

template <int D>
__global__ void encode_kernel(const float* d_points, std::int64_t count, Grid grid, std::uint64_t* d_codes) {
  for (std::int64_t i = first_element(); i < count; i += element_stride())
    d_codes[i] = morton_code<D>(d_points + i * D, grid);
}

template <int D>
__global__ void shift_keys_kernel(const std::uint64_t* d_codes, std::int64_t count, Shift shift, std::uint64_t* d_keys,
                                  std::uint32_t* d_indices) {
  for (std::int64_t i = first_element(); i < count; i += element_stride()) {
    d_keys[i] = sort_key<D>(d_codes[i], shift.code, shift.bits);
    d_indices[i] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace

void encode(const float* d_points, std::int64_t count, int dimensions, const Grid& grid, std::uint64_t* d_codes,
            cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = dimensions == 3 ? encode_kernel<3> : encode_kernel<2>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_points, count, grid, d_codes);
  check_launch("encode");
}

void shift_keys(const std::uint64_t* d_codes, std::int64_t count, const Shift& shift, std::uint64_t* d_keys,
                std::uint32_t* d_indices, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = shift.dimensions == 3 ? shift_keys_kernel<3> : shift_keys_kernel<2>;

  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_codes, count, shift, d_keys, d_indices);
  check_launch("shift_keys");
}

}  // namespace kann::cuda
