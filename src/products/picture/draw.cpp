#include "products/picture/draw.hpp"

#include <algorithm>
#include <atomic>

#include "base/threads/parallel.hpp"

namespace kann::picture {
namespace {

void lower(Word& pixel, Word word) {
  // Most splats lose against the word in the pixel, and then cost only a load
  std::atomic_ref<Word> kept(pixel);
  for (Word seen = kept.load(std::memory_order_relaxed); word < seen;)
    if (kept.compare_exchange_weak(seen, word, std::memory_order_relaxed)) return;
}

constexpr int k_ahead = 64;  // points

template <class T>
RenderCounts splat_points(const PointSource<T>& points, const PointColors& colors, const Scene& scene,
                          Array<Word>& words, Array<std::uint8_t>& marks, int threads) {
  std::atomic<std::int64_t> drawn{0}, outside{0}, left_out{0};
  base::parallel_chunks(points.count, 1 << 14, threads, [&](std::int64_t begin, std::int64_t end) {
    RenderCounts part;
    for (std::int64_t first = begin; first < end; first += k_ahead) {
      // Points come in any order, so their pixels are prefetched
      ScreenPoint on_screen[k_ahead];
      const int count = static_cast<int>(std::min<std::int64_t>(k_ahead, end - first));
      for (int i = 0; i < count; ++i) on_screen[i] = points.project(first + i, scene.projection);
      for (int i = 0; i < count; ++i)
        if (const ScreenPoint& p = on_screen[i]; scene.canvas.has(p))
          __builtin_prefetch(&words[static_cast<std::int64_t>(p.y >> 8) * scene.canvas.width + (p.x >> 8)], 1);
      for (int i = 0; i < count; ++i) {
        if (!points.is_finite(first + i) || !colors.has_color(first + i)) {
          ++part.left_out;
          continue;
        }
        const ScreenPoint& p = on_screen[i];
        ++(scene.canvas.has(p) ? part.drawn : part.outside);
        if (colors.is_marked(first + i)) {
          each_pixel(scene.mark, scene.canvas, p, 0, [&](std::int64_t pixel, Word) {
            std::atomic_ref(marks[pixel]).store(1, std::memory_order_relaxed);
          });
          continue;
        }
        each_pixel(scene.splat, scene.canvas, p, static_cast<std::uint32_t>(first + i + 1),
                   [&](std::int64_t pixel, Word word) { lower(words[pixel], word); });
      }
    }
    drawn += part.drawn;
    outside += part.outside;
    left_out += part.left_out;
  });
  return {drawn, outside, left_out};
}

/// Calls f(x, y, pixel) for all pixels.
template <class F>
void each_pixel_of(const Canvas& canvas, int threads, F&& f) {
  base::parallel_chunks(canvas.height, 8, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y)
      for (std::int32_t x = 0; x < canvas.width; ++x) f(x, static_cast<std::int32_t>(y), y * canvas.width + x);
  });
}

}  // namespace

FrameBuffer::FrameBuffer(const Scene& scene, int threads)
    : scene_(scene),
      threads_(threads),
      words_(static_cast<std::size_t>(scene.canvas.pixels())),
      seen_(static_cast<std::size_t>(scene.canvas.pixels())),
      marks_(static_cast<std::size_t>(scene.canvas.pixels())) {
  each_pixel_of(scene.canvas, threads, [&](auto, auto, std::int64_t pixel) {
    words_[pixel] = k_no_word;
    marks_[pixel] = 0;
    seen_.depths[pixel] = k_no_depth;
    seen_.colors[pixel] = k_paper;
  });
}

void FrameBuffer::draw(const PointsView& cloud, const PointColors& colors) {
  if (cloud.size() == 0) return;
  std::visit(
      [&]<class T>(std::span<const T> coordinates) {
        const PointSource<T> points{coordinates.data(), cloud.size(), cloud.dimensions};
        const RenderCounts counts = splat_points(points, colors, scene_, words_, marks_, threads_);
        counts_.drawn += counts.drawn;
        counts_.outside += counts.outside;
        counts_.left_out += counts.left_out;
        each_pixel_of(scene_.canvas, threads_, [&](auto, auto, std::int64_t pixel) {
          const Word word = words_[pixel];
          if (word == k_no_word || number_of(word) == 0) return;
          const std::int64_t i = std::int64_t{number_of(word)} - 1;
          seen_.depths[pixel] = points.project(i, scene_.projection).depth;
          seen_.colors[pixel] = colors(i);
          words_[pixel] = without_number(word);
        });
      },
      cloud.coordinates);
}

Array<std::uint8_t> FrameBuffer::finish() {
  const Canvas& canvas = scene_.canvas;
  const auto pixels = static_cast<std::size_t>(canvas.pixels());
  Array<Word>().swap(words_);  // frees the memory
  LayerMemory closed(pixels);
  each_pixel_of(canvas, threads_, [&](std::int32_t x, std::int32_t y, auto) {
    close_gap(scene_.surface, canvas, seen_.layer(), closed.layer(), x, y);
  });
  Array<std::uint32_t>& smooth = seen_.depths;  // its content is no longer needed
  each_pixel_of(canvas, threads_, [&](std::int32_t x, std::int32_t y, std::int64_t pixel) {
    smooth[pixel] = smooth_depth(scene_.surface, canvas, closed.depths.data(), x, y);
  });
  Array<std::uint8_t> rgb(3 * pixels);
  each_pixel_of(canvas, threads_, [&](std::int32_t x, std::int32_t y, std::int64_t pixel) {
    const bool is_hidden = scene_.marks_are_behind && closed.depths[pixel] != k_no_depth;
    const Color color = marks_[pixel] && !is_hidden
                            ? scene_.mark_color
                            : blend(closed.colors[pixel], look_of(scene_.surface, canvas, smooth.data(), x, y));
    for (int channel = 0; channel < 3; ++channel)
      rgb[3 * pixel + channel] = static_cast<std::uint8_t>(color >> (16 - 8 * channel));
  });
  return rgb;
}

}  // namespace kann::picture
