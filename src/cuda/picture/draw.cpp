#include "cuda/picture/draw.hpp"

#include <cstdint>

#include "cuda/picture/passes.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/on_device.hpp"
#include "cuda/runtime/transfer.hpp"

namespace kann::cuda {
namespace {

using picture::Color;
using picture::Counts;
using picture::Layer;
using picture::PointColors;
using picture::PointSource;
using picture::Scene;
using picture::Word;

/// A copy on the device.
template <class T>
Buffer<T> copied(const T* values, std::int64_t size, Pool& pool, Staging& staging, int threads) {
  Buffer<T> buffer(pool, values ? size : 0);
  if (buffer.size() > 0)
    staging.upload(values, static_cast<std::size_t>(size) * sizeof(T), buffer.data(), pool.stream(), threads);
  return buffer;
}

struct LayerBuffers {
  Buffer<std::uint32_t> depths;
  Buffer<Color> colors;

  LayerBuffers(Pool& pool, std::int64_t pixels) : depths(pool, pixels), colors(pool, pixels) {}
  Layer layer() const { return {depths.data(), colors.data()}; }
};

/// The passes over the points: what is seen in each pixel. The copies of the points are released.
template <class T>
Counts draw_points(std::span<const T> coordinates, int dimensions, const PointColors& colors, const Scene& scene,
                   const Layer& d_seen, Pool& pool, Staging& staging, int threads) {
  const std::int64_t pixels = scene.canvas.pixels();
  const auto size = static_cast<std::int64_t>(coordinates.size()), n = size / dimensions;
  const Buffer<T> points = copied(coordinates.data(), size, pool, staging, threads);
  const Buffer<float> values = copied(colors.values, n, pool, staging, threads);
  const Buffer<std::uint8_t> own_colors = copied(colors.colors, 3 * n, pool, staging, threads);
  const Buffer<Color> map = copied(colors.map, picture::k_colors, pool, staging, threads);
  PointColors d_colors = colors;
  d_colors.values = values.data();
  d_colors.colors = own_colors.data();
  d_colors.map = map.data();
  const PointSource<T> d_points{points.data(), n, dimensions};

  const Buffer<Word> words(pool, pixels);
  const Buffer<Counts> d_counts(pool, 1);
  check(cudaMemsetAsync(words.data(), 0xff, static_cast<std::size_t>(pixels) * sizeof(Word), pool.stream()), "pixels");
  check(cudaMemsetAsync(d_counts.data(), 0, sizeof(Counts), pool.stream()), "counts");
  passes::splat_points(d_points, d_colors, scene, words.data(), d_counts.data(), pool.stream());
  passes::resolve(d_points, d_colors, scene, words.data(), d_seen, pool.stream());
  Counts counts;
  staging.download(d_counts.data(), sizeof counts, &counts, pool.stream(), 1);
  return counts;
}

Counts draw_here(const PointsView& points, const PointColors& colors, const Scene& scene, int threads,
                 Array<std::uint8_t>& rgb) {
  const std::int64_t pixels = scene.canvas.pixels();
  const Stream stream;
  Pool pool(stream);
  Staging staging;
  const LayerBuffers seen(pool, pixels), closed(pool, pixels);
  const Counts counts = std::visit(
      [&](const auto& coordinates) {
        return draw_points(coordinates, points.dimensions, colors, scene, seen.layer(), pool, staging, threads);
      },
      points.coordinates);
  passes::close_gaps(scene, seen.layer(), closed.layer(), stream);
  const std::uint32_t* const d_closed = closed.depths.data();
  std::uint32_t* const d_smooth = seen.depths.data();  // is read no more
  passes::smooth(scene, d_closed, d_smooth, stream);
  const Buffer<std::uint8_t> d_rgb(pool, 3 * pixels);
  passes::blend_pixels(scene, {d_smooth, closed.colors.data()}, d_rgb.data(), stream);
  rgb.resize(static_cast<std::size_t>(d_rgb.size()));
  staging.download(d_rgb.data(), rgb.size(), rgb.data(), stream, threads);
  return counts;
}

}  // namespace

Counts draw_picture(const PointsView& points, const PointColors& colors, const Scene& scene, int index, int threads,
                    Array<std::uint8_t>& rgb) {
  return on_device(index, [&] { return draw_here(points, colors, scene, threads, rgb); });
}

}  // namespace kann::cuda
