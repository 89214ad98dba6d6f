// The kernels of a picture, one per pass. All are queued on `stream`; pointers are to device memory.
#pragma once

#include <cuda_runtime_api.h>

#include "picture/pixels/cloud.hpp"
#include "picture/pixels/scene.hpp"

namespace kann::cuda::passes {

/// Lowers the words of the pixels that points cover, and adds to `d_counts`. T: float or double.
template <class T>
void splat_points(const picture::PointSource<T>& d_points, const picture::PointColors& d_colors,
                  const picture::Scene& scene, picture::Word* d_words, picture::Counts* d_counts, cudaStream_t stream);

/// The depth and colour of the point that each pixel keeps.
template <class T>
void resolve(const picture::PointSource<T>& d_points, const picture::PointColors& d_colors, const picture::Scene& scene,
             const picture::Word* d_words, const picture::Layer& d_seen, cudaStream_t stream);

/// close_gap() of all pixels.
void close_gaps(const picture::Scene& scene, const picture::Layer& d_seen, const picture::Layer& d_closed,
                cudaStream_t stream);

/// smooth_depth() of all pixels.
void smooth(const picture::Scene& scene, const std::uint32_t* d_depths, std::uint32_t* d_smooth, cudaStream_t stream);

/// The bytes of all pixels, 3 each.
void blend_pixels(const picture::Scene& scene, const picture::Layer& d_layer, std::uint8_t* d_rgb, cudaStream_t stream);

}  // namespace kann::cuda::passes
