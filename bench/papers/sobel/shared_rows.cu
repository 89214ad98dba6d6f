// Sobel from shared memory, way IV: blocks two rows high fill six rows in three copies, without ifs and divisions
// (4.2.4; code 5 of the appendix).
#include "papers/sobel/gradient.cuh"

namespace kann::bench {
namespace {

constexpr int k_width = 128;  // with 2 rows, 256 threads, as the paper recommends (3.2)
constexpr int k_rows = 4;     // of results per block

/// Each thread has two pixels, in rows y and y + 2. The last two threads of a row compute from columns that nobody
/// filled, and their results are dropped. The paper's code reads column x where column x − 1 of the image is needed.
template <SobelStep step, class Pixel>
__global__ void __launch_bounds__(2 * k_width) rows_kernel(SobelImage<Pixel> image) {
  __shared__ Pixel pixels[(k_rows + 2) * (k_width + 2)];
  const int width = block_width<step, k_width>(), stride = width + 2;
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * (width - 2) + tx, y = static_cast<int>(blockIdx.y) * k_rows + ty;
  for (int row = 0; row < k_rows + 2; row += 2)
    pixels[(ty + row) * stride + tx] = pixel_at<step, false>(image, x - 1, y + row - 1);
  __syncthreads();  // pixels that other threads copied

  for (int down = 0; down < k_rows; down += 2) {
    const auto pixel = [&](int column, int row) { return pixels[(ty + down + row) * stride + tx + column]; };
    const int value = gradient<step>(image, pixel);
    if (tx < width - 2 && x < image.width && y + down < image.height) store(image, x, y + down, value);
  }
}

template <SobelStep step, class Pixel>
void launch(const SobelImage<Pixel>& image, cudaStream_t stream) {
  const dim3 grid(cuda::blocks_for(image.width, k_width - 2), cuda::blocks_for(image.height, k_rows));
  rows_kernel<step><<<grid, dim3(k_width, 2), 0, stream>>>(image);
  cuda::check_launch("Sobel from rows in shared memory");
}

}  // namespace

template <class Pixel>
void add_shared_rows_ways(std::vector<SobelWay<Pixel>>& ways) {
  for_each_step([&]<SobelStep step>() { ways.push_back({SobelMemory::shared_4, step, launch<step, Pixel>}); });
}

template void add_shared_rows_ways(std::vector<SobelWay<std::uint8_t>>&);
template void add_shared_rows_ways(std::vector<SobelWay<std::uint32_t>>&);

}  // namespace kann::bench
