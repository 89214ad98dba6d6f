// Sobel from shared memory, filled with the pixels of a square block and those around it in one of three ways (4.2.1 to
// 4.2.3; codes 2 to 4 of the appendix).
#include "papers/sobel/gradient.cuh"

namespace kann::bench {
namespace {

constexpr int k_tile_side = k_sobel_side + 2;

/// What a fill needs: the tile, row by row, and where its pixel (1, 1) is in the image.
template <class Pixel>
struct Tile {
  Pixel* pixels;
  int stride;  ///< the block's side + 2
  int left, top;
};

/// I: each thread copies its own pixel, the threads at edges and corners also those beyond, after eight ifs. The code
/// in the paper lacks the lower right corner.
template <SobelStep step, class Pixel>
__device__ __forceinline__ void fill_1(const SobelImage<Pixel>& image, const Tile<Pixel>& tile) {
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y), last = tile.stride - 3;
  const auto copy = [&](int column, int row) {
    tile.pixels[row * tile.stride + column] = pixel_at<step, false>(image, tile.left + column - 1, tile.top + row - 1);
  };
  copy(tx + 1, ty + 1);
  if (tx == 0) copy(0, ty + 1);
  if (tx == last) copy(last + 2, ty + 1);
  if (ty == 0) copy(tx + 1, 0);
  if (ty == last) copy(tx + 1, last + 2);
  if (tx == 0 && ty == 0) copy(0, 0);
  if (tx == last && ty == 0) copy(last + 2, 0);
  if (tx == 0 && ty == last) copy(0, last + 2);
  if (tx == last && ty == last) copy(last + 2, last + 2);
}

/// II: four copies of the size of the block, without ifs; most pixels are copied four times, each time the same.
template <SobelStep step, class Pixel>
__device__ __forceinline__ void fill_2(const SobelImage<Pixel>& image, const Tile<Pixel>& tile) {
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const auto copy = [&](int column, int row) {
    tile.pixels[row * tile.stride + column] = pixel_at<step, false>(image, tile.left + column - 1, tile.top + row - 1);
  };
  copy(tx, ty);
  copy(tx, ty + 2);
  copy(tx + 2, ty);
  copy(tx + 2, ty + 2);
}

/// III: the threads copy consecutive pixels of the tile, in two rounds; a division and a remainder each.
template <SobelStep step, class Pixel>
__device__ __forceinline__ void fill_3(const SobelImage<Pixel>& image, const Tile<Pixel>& tile) {
  const int side = tile.stride - 2;
  const int first = static_cast<int>(threadIdx.y) * side + static_cast<int>(threadIdx.x);
  const auto copy = [&](int place) {
    tile.pixels[place] =
        pixel_at<step, false>(image, tile.left + place % tile.stride - 1, tile.top + place / tile.stride - 1);
  };
  copy(first);
  if (first + side * side < tile.stride * tile.stride) copy(first + side * side);
}

/// A thread per pixel.
template <SobelMemory memory, SobelStep step, class Pixel>
__global__ void __launch_bounds__(k_sobel_side* k_sobel_side) square_kernel(SobelImage<Pixel> image) {
  __shared__ Pixel pixels[k_tile_side * k_tile_side];
  const int side = block_width<step, k_sobel_side>();
  const Tile<Pixel> tile = {pixels, side + 2, static_cast<int>(blockIdx.x) * side, static_cast<int>(blockIdx.y) * side};
  if constexpr (memory == SobelMemory::shared_1) fill_1<step>(image, tile);
  if constexpr (memory == SobelMemory::shared_2) fill_2<step>(image, tile);
  if constexpr (memory == SobelMemory::shared_3) fill_3<step>(image, tile);
  __syncthreads();  // pixels that other threads copied

  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x = tile.left + tx, y = tile.top + ty;
  if (x >= image.width || y >= image.height) return;
  const auto pixel = [&](int column, int row) { return tile.pixels[(ty + row) * tile.stride + tx + column]; };
  store(image, x, y, gradient<step>(image, pixel));
}

template <SobelMemory memory, SobelStep step, class Pixel>
void launch(const SobelImage<Pixel>& image, cudaStream_t stream) {
  const dim3 grid(cuda::blocks_for(image.width, k_sobel_side), cuda::blocks_for(image.height, k_sobel_side));
  square_kernel<memory, step><<<grid, dim3(k_sobel_side, k_sobel_side), 0, stream>>>(image);
  cuda::check_launch("Sobel from shared memory");
}

}  // namespace

template <class Pixel>
void add_shared_square_ways(std::vector<SobelWay<Pixel>>& ways) {
  for_each_step([&]<SobelStep step>() {
    ways.push_back({SobelMemory::shared_1, step, launch<SobelMemory::shared_1, step, Pixel>});
    ways.push_back({SobelMemory::shared_2, step, launch<SobelMemory::shared_2, step, Pixel>});
    ways.push_back({SobelMemory::shared_3, step, launch<SobelMemory::shared_3, step, Pixel>});
  });
}

template void add_shared_square_ways(std::vector<SobelWay<std::uint8_t>>&);
template void add_shared_square_ways(std::vector<SobelWay<std::uint32_t>>&);

}  // namespace kann::bench
