#include "cuda/encode.hpp"
#include "cuda/launch.cuh"

namespace kann::cuda {
namespace {

template <int D>
__global__ void pack_kernel(PointSource source, std::int64_t count, Shift prefix, int payload_bits,
                            std::uint64_t* d_keys) {
  for (std::int64_t i = first_element(); i < count; i += element_stride())
    d_keys[i] =
        full_key<D>(point_at<D>(source, i), source.grid, prefix) << payload_bits | static_cast<std::uint64_t>(i);
}

template <int D, class Key>
__global__ void keys_kernel(PointSource source, std::int64_t count, Shift shift, Key* d_keys,
                            std::uint32_t* d_indices) {
  for (std::int64_t i = first_element(); i < count; i += element_stride()) {
    d_keys[i] = static_cast<Key>(full_key<D>(point_at<D>(source, i), source.grid, shift));
    d_indices[i] = static_cast<std::uint32_t>(i);
  }
}

template <class Key>
void launch_keys(const PointSource& source, std::int64_t count, const Shift& shift, Key* d_keys,
                 std::uint32_t* d_indices, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = shift.dimensions == 3 ? keys_kernel<3, Key> : keys_kernel<2, Key>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(source, count, shift, d_keys, d_indices);
  check_launch("keys");
}

__global__ void count_crowded_kernel(const std::uint32_t* d_keys, std::int64_t count, std::uint32_t* d_crowded) {
  const std::int64_t i = first_element();
  const int crowded = __syncthreads_count(i >= k_crowd && i < count && d_keys[i] == d_keys[i - k_crowd]);
  if (threadIdx.x == 0 && crowded > 0) atomicAdd(d_crowded, static_cast<std::uint32_t>(crowded));
}

}  // namespace

void pack_keys(const PointSource& source, std::int64_t count, const Shift& shift, const KeyLayout& layout,
               std::uint64_t* d_keys, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel = shift.dimensions == 3 ? pack_kernel<3> : pack_kernel<2>;
  kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(source, count, shortened(shift, layout.prefix_bits),
                                                            layout.payload_bits, d_keys);
  check_launch("pack_keys");
}

void full_keys(const PointSource& source, std::int64_t count, const Shift& shift, std::uint64_t* d_keys,
               std::uint32_t* d_indices, cudaStream_t stream) {
  launch_keys(source, count, shift, d_keys, d_indices, stream);
}

void leading_keys(const PointSource& source, std::int64_t count, const Shift& curve, int bits, std::uint32_t* d_keys,
                  std::uint32_t* d_indices, cudaStream_t stream) {
  launch_keys(source, count, shortened(curve, unused_bits(curve) + bits), d_keys, d_indices, stream);
}

void count_crowded(const std::uint32_t* d_keys, std::int64_t count, std::uint32_t* d_crowded, cudaStream_t stream) {
  check(cudaMemsetAsync(d_crowded, 0, sizeof(std::uint32_t), stream), "count_crowded");
  if (count == 0) return;
  count_crowded_kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(d_keys, count, d_crowded);
  check_launch("count_crowded");
}

}  // namespace kann::cuda
