#include "cuda/order/encode.hpp"
#include "cuda/order/on_curve.cuh"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda {
namespace {

/// One thread per point.
template <int D, class OnCurve>
__global__ void pack_kernel(PointSource source, std::int64_t count, Shift prefix, int payload_bits,
                            std::uint64_t* d_keys) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const OnCurve point(point_at<D>(source, i), source.grid, prefix);
  d_keys[i] = point.key(prefix) << payload_bits | static_cast<std::uint64_t>(i);
}

/// One thread per point of d_from (null: of the source).
template <int D, class OnCurve, class Key>
__global__ void keys_kernel(PointSource source, const std::uint32_t* d_from, std::int64_t count, Shift shift,
                            Key* d_keys, std::uint32_t* d_indices) {
  const std::int64_t i = first_element();
  if (i >= count) return;
  const std::uint32_t index = d_from ? d_from[i] : static_cast<std::uint32_t>(i);
  const OnCurve point(point_at<D>(source, index), source.grid, shift);
  d_keys[i] = static_cast<Key>(point.key(shift));
  d_indices[i] = index;
}

template <class Key>
void launch_keys(const PointSource& source, const std::uint32_t* d_from, std::int64_t count, const Shift& shift,
                 Key* d_keys, std::uint32_t* d_indices, cudaStream_t stream) {
  if (count == 0) return;
  with_curve(shift, [&]<int D, class OnCurve>() {
    keys_kernel<D, OnCurve>
        <<<blocks_for(count), k_block_threads, 0, stream>>>(source, d_from, count, shift, d_keys, d_indices);
  });
  check_launch("keys");
}

}  // namespace

void pack_keys(const PointSource& source, std::int64_t count, const Shift& shift, const KeyLayout& layout,
               std::uint64_t* d_keys, cudaStream_t stream) {
  if (count == 0) return;
  with_curve(shift, [&]<int D, class OnCurve>() {
    pack_kernel<D, OnCurve><<<blocks_for(count), k_block_threads, 0, stream>>>(
        source, count, shortened(shift, layout.prefix_bits), layout.payload_bits, d_keys);
  });
  check_launch("pack_keys");
}

void full_keys(const PointSource& source, const std::uint32_t* d_from, std::int64_t count, const Shift& shift,
               std::uint64_t* d_keys, std::uint32_t* d_indices, cudaStream_t stream) {
  launch_keys(source, d_from, count, shift, d_keys, d_indices, stream);
}

void leading_keys(const PointSource& source, std::int64_t count, const Shift& curve, int bits, std::uint32_t* d_keys,
                  std::uint32_t* d_indices, cudaStream_t stream) {
  launch_keys(source, nullptr, count, shortened(curve, unused_bits(curve) + bits), d_keys, d_indices, stream);
}

}  // namespace kann::cuda
