#include <algorithm>

#include "cuda/picture/passes.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda::passes {
namespace {

using namespace picture;

static_assert(sizeof(Word) == sizeof(unsigned long long));

/// Adds the numbers of all lanes to *d_sum. Called by whole warps.
__device__ void add_warp(std::int64_t value, std::int64_t* d_sum) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0 && value != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(d_sum), static_cast<unsigned long long>(value));
}

/// One thread per point, and per several in large clouds.
template <class T>
__global__ void splat_points_kernel(PointSource<T> points, PointColors colors, Scene scene, Word* d_words,
                                    Counts* d_counts) {
  Counts own;
  for (std::int64_t i = first_element(); i < points.count; i += element_stride()) {
    if (!points.is_finite(i) || !colors.has_color(i)) {
      ++own.left_out;
      continue;
    }
    const ScreenPoint p = points.project(i, scene.projection);
    ++(scene.canvas.has(p) ? own.drawn : own.outside);
    each_pixel(scene.splat, scene.canvas, p, static_cast<std::uint32_t>(i), [&](std::int64_t pixel, Word word) {
      // Most splats lose against what is there: they cost a load. A word that is no longer there is larger
      if (word < d_words[pixel])
        atomicMin(reinterpret_cast<unsigned long long*>(d_words + pixel), static_cast<unsigned long long>(word));
    });
  }
  add_warp(own.drawn, &d_counts->drawn);
  add_warp(own.outside, &d_counts->outside);
  add_warp(own.left_out, &d_counts->left_out);
}

/// One thread per pixel, as all below.
template <class T>
__global__ void resolve_kernel(PointSource<T> points, PointColors colors, Scene scene, const Word* d_words,
                               Layer seen) {
  for (std::int64_t pixel = first_element(); pixel < scene.canvas.pixels(); pixel += element_stride()) {
    const bool is_empty = d_words[pixel] == k_no_word;
    const std::uint32_t i = index_of(d_words[pixel]);
    seen.depths[pixel] = is_empty ? k_no_depth : points.project(i, scene.projection).depth;
    seen.colors[pixel] = is_empty ? k_paper : colors(i);
  }
}

struct Place {
  std::int32_t x, y;

  __device__ Place(std::int64_t pixel, const Canvas& canvas)
      : x(static_cast<std::int32_t>(pixel % canvas.width)), y(static_cast<std::int32_t>(pixel / canvas.width)) {}
};

__global__ void close_gaps_kernel(Scene scene, Layer seen, Layer closed) {
  for (std::int64_t pixel = first_element(); pixel < scene.canvas.pixels(); pixel += element_stride()) {
    const Place at(pixel, scene.canvas);
    close_gap(scene.surface, scene.canvas, seen, closed, at.x, at.y);
  }
}

__global__ void smooth_kernel(Scene scene, const std::uint32_t* d_depths, std::uint32_t* d_smooth) {
  for (std::int64_t pixel = first_element(); pixel < scene.canvas.pixels(); pixel += element_stride()) {
    const Place at(pixel, scene.canvas);
    d_smooth[pixel] = smooth_depth(scene.surface, scene.canvas, d_depths, at.x, at.y);
  }
}

__global__ void blend_kernel(Scene scene, Layer layer, std::uint8_t* d_rgb) {
  for (std::int64_t pixel = first_element(); pixel < scene.canvas.pixels(); pixel += element_stride()) {
    const Place at(pixel, scene.canvas);
    const Color color = blend(layer.colors[pixel], look_of(scene.surface, scene.canvas, layer.depths, at.x, at.y));
    for (int channel = 0; channel < 3; ++channel)
      d_rgb[3 * pixel + channel] = static_cast<std::uint8_t>(color >> (16 - 8 * channel));
  }
}

}  // namespace

template <class T>
void splat_points(const PointSource<T>& d_points, const PointColors& d_colors, const Scene& scene, Word* d_words,
                  Counts* d_counts, cudaStream_t stream) {
  // Counters are added up once per warp
  const unsigned blocks = std::min(blocks_for(d_points.count), resident_blocks(8));
  splat_points_kernel<<<blocks, k_block_threads, 0, stream>>>(d_points, d_colors, scene, d_words, d_counts);
  check_launch("points of a picture");
}

template <class T>
void resolve(const PointSource<T>& d_points, const PointColors& d_colors, const Scene& scene, const Word* d_words,
             const Layer& d_seen, cudaStream_t stream) {
  resolve_kernel<<<blocks_for(scene.canvas.pixels()), k_block_threads, 0, stream>>>(d_points, d_colors, scene, d_words,
                                                                                    d_seen);
  check_launch("pixels of a picture");
}

void close_gaps(const Scene& scene, const Layer& d_seen, const Layer& d_closed, cudaStream_t stream) {
  close_gaps_kernel<<<blocks_for(scene.canvas.pixels()), k_block_threads, 0, stream>>>(scene, d_seen, d_closed);
  check_launch("gaps of a picture");
}

void smooth(const Scene& scene, const std::uint32_t* d_depths, std::uint32_t* d_smooth, cudaStream_t stream) {
  smooth_kernel<<<blocks_for(scene.canvas.pixels()), k_block_threads, 0, stream>>>(scene, d_depths, d_smooth);
  check_launch("depths of a picture");
}

void blend_pixels(const Scene& scene, const Layer& d_layer, std::uint8_t* d_rgb, cudaStream_t stream) {
  blend_kernel<<<blocks_for(scene.canvas.pixels()), k_block_threads, 0, stream>>>(scene, d_layer, d_rgb);
  check_launch("colours of a picture");
}

template void splat_points(const PointSource<float>&, const PointColors&, const Scene&, Word*, Counts*, cudaStream_t);
template void splat_points(const PointSource<double>&, const PointColors&, const Scene&, Word*, Counts*, cudaStream_t);
template void resolve(const PointSource<float>&, const PointColors&, const Scene&, const Word*, const Layer&,
                      cudaStream_t);
template void resolve(const PointSource<double>&, const PointColors&, const Scene&, const Word*, const Layer&,
                      cudaStream_t);

}  // namespace kann::cuda::passes
