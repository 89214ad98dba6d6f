// Sobel straight from global memory, nine reads per pixel (code 1 of the appendix), or through the texture units (4.3).
#include "papers/sobel/gradient.cuh"

namespace kann::bench {
namespace {

/// A thread per pixel.
template <SobelStep step, bool by_texture, class Pixel>
__global__ void __launch_bounds__(k_sobel_side* k_sobel_side) direct_kernel(SobelImage<Pixel> image) {
  const int width = block_width<step, k_sobel_side>();
  const int height = has_fixed_block<step> ? k_sobel_side : static_cast<int>(blockDim.y);
  const int x = static_cast<int>(blockIdx.x) * width + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * height + static_cast<int>(threadIdx.y);
  if (x >= image.width || y >= image.height) return;
  const auto pixel = [&](int column, int row) {
    return pixel_at<step, by_texture>(image, x + column - 1, y + row - 1);
  };
  store(image, x, y, gradient<step>(image, pixel));
}

template <SobelStep step, bool by_texture, class Pixel>
void launch(const SobelImage<Pixel>& image, cudaStream_t stream) {
  const dim3 grid(cuda::blocks_for(image.width, k_sobel_side), cuda::blocks_for(image.height, k_sobel_side));
  direct_kernel<step, by_texture><<<grid, dim3(k_sobel_side, k_sobel_side), 0, stream>>>(image);
  cuda::check_launch("Sobel from global memory");
}

}  // namespace

template <class Pixel>
void add_direct_ways(std::vector<SobelWay<Pixel>>& ways) {
  for_each_step([&]<SobelStep step>() {
    ways.push_back({SobelMemory::global, step, launch<step, false, Pixel>});
    ways.push_back({SobelMemory::texture, step, launch<step, true, Pixel>});
  });
}

template void add_direct_ways(std::vector<SobelWay<std::uint8_t>>&);
template void add_direct_ways(std::vector<SobelWay<std::uint32_t>>&);

}  // namespace kann::bench
