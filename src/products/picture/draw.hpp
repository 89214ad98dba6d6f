// The passes over points and pixels on the CPU.
#pragma once

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/render.hpp"

#include "products/picture/cloud.hpp"
#include "products/picture/scene.hpp"

namespace kann::picture {

/// The depth of each pixel, and its colour.
struct LayerMemory {
  Array<std::uint32_t> depths;
  Array<Color> colors;

  explicit LayerMemory(std::size_t pixels) : depths(pixels), colors(pixels) {}
  Layer layer() { return {depths.data(), colors.data()}; }
};

/// The pixels of a scene while the points of a cloud are drawn, block after block. The bytes are the same however the
/// cloud is divided, and on any number of threads. Takes 20 bytes of memory per pixel.
class FrameBuffer {
 public:
  /// `scene` must outlive the object.
  FrameBuffer(const Scene& scene, int threads);

  /// Draws the next block, which must have less than 2³² points; blocks.
  void draw(const PointsView& points, const PointColors& colors);

  /// How many points were drawn so far, and how many not.
  const RenderCounts& counts() const { return counts_; }

  /// To be called once, after all blocks: closes gaps, and draws outlines, shades and marks; blocks. Returns the
  /// scene's canvas, 3 bytes per pixel.
  Array<std::uint8_t> finish();

 private:
  const Scene& scene_;
  int threads_;
  Array<Word> words_;
  LayerMemory seen_;
  Array<std::uint8_t> marks_;  // 1 where a mark is
  RenderCounts counts_;
};

}  // namespace kann::picture
