// A picture of a cloud, coloured by a value per point, without a display.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"

namespace kann {

/// From where a cloud is seen, in an orthographic projection with z up. `automatic` looks from above at 2-D clouds; at
/// others from 30° above the horizon (50° for flat clouds), and from the side, of four, from which the cloud is
/// largest. `top` has y up, `front` looks along y, `iso` comes from (1, −1, 1).
struct View {
  enum class Kind { automatic, top, front, iso, direction };
  Kind kind = Kind::automatic;
  /// The direction from the cloud to the eye, of any length, for Kind::direction. If it is straight down, y is down in
  /// the picture, as for a camera whose coordinates are x right, y down and z ahead.
  std::array<double, 3> direction = {0, 0, 1};
};

/// How values become places in the colour map. `automatic` is logarithmic if the values are positive, differ by a
/// factor of 50 or more, and three in four would otherwise lie in the lowest fifth of the map (densities); else linear.
enum class ColorScale { automatic, linear, log };

/// Where a class lies: among all others, by its depth; or as dots without outlines, the larger the fewer they are, over
/// all others or behind them. One class at most has dots.
enum class ClassPlace { among, over, behind };

/// How a class of points is shown.
struct ClassLook {
  float value = 0;
  std::string name;                    ///< in the legend, which leaves out a class without one
  std::optional<std::uint32_t> color;  ///< 0xrrggbb; default: of the map
  ClassPlace place = ClassPlace::among;
};

struct RenderOptions {
  View view;
  int width = 1600, height = 1200;  ///< pixels, 16 to 16,384 each
  std::string label;                ///< label of the legend, e.g. "distance (m)"; printable ASCII
  /// The values of the first and the last colour. Values beyond them have these colours, too, and the legend says at
  /// least or at most at that end. Default: the 1st to the 99th percentile of a sample, widened to round numbers.
  std::optional<std::pair<double, double>> range;
  /// What the caller has subtracted from all values, so that float32 tells them apart. The legend and `range` refer to
  /// the values before the subtraction. Unless the offset is 0, the scale is linear.
  double offset = 0;
  ColorScale scale = ColorScale::automatic;  ///< with `log`, a range is positive; other values have the first colour
  /// The values are classes: if there are at most 12 different ones, each has a colour of its own, spread evenly over
  /// the map in the order of the values, and the legend has their names and counts. `range` is then not looked at.
  bool has_classes = false;
  std::vector<ClassLook> class_looks;  ///< of some classes; others are named by their values
  /// The unit of coordinates, for the scale bar. Every view is a parallel projection, so the bar holds for what is
  /// parallel to the picture, all over it.
  std::string unit;
  int threads = 0;  ///< CPU threads; 0: all of the machine
};

/// 8 bits per channel, row-major from the top left: the pixel in column x and row y begins at rgb[3·(y·width + x)].
struct Image {
  int width = 0, height = 0;
  Array<std::uint8_t> rgb;
};

struct RenderCounts {
  std::int64_t drawn = 0;     ///< points whose centre is in the picture, seen or hidden by others
  std::int64_t outside = 0;   ///< points outside of the picture: far outliers, which do not widen it
  std::int64_t left_out = 0;  ///< points with invalid coordinates or with a value that is NaN or infinite
};

struct RenderResult : RenderCounts {
  Image image;
};

/// Draws `points` in colours that stand for `values` (one per point), from dark blue for the lowest to light yellow,
/// with a legend and a scale bar (in pictures of less than about 140 × 140 pixels, without). Points are round, as large
/// as it takes to close surfaces; the nearest to the eye is seen. Outlines and shades are by the Sobel operator on the
/// depths: a surface is lighter where it faces the eye. The picture leaves out far outliers. On each axis of the view,
/// the middle 96 % of the coordinates have a width; a point is a far outlier if it lies beyond them by more than 0.35
/// of that width.
///
/// The same bytes with every number of threads. A cloud without a point to draw gives an empty picture that says so.
/// Blocks. Takes 20 bytes of memory per pixel.
/// @throws Error usage (options), bad_input (sizes that do not match, more than 2³² − 2 points), resources;
///         std::bad_alloc.
RenderResult render(const PointsView& points, std::span<const float> values, const RenderOptions& options = {});

/// The same with given colours: red, green and blue of each point, 3 × points.size() bytes; of the legend, only the
/// scale bar.
RenderResult render_rgb(const PointsView& points, std::span<const std::uint8_t> colors,
                        const RenderOptions& options = {});

/// A cloud whose points need not fit in memory: they come in blocks, with what gives their colours. T is float for a
/// value per point, std::uint8_t for red, green and blue of each point.
template <class T>
struct RenderBlocks {
  std::int64_t points = 0;  ///< in all blocks together
  int dimensions = 3;       ///< 2 or 3

  /// Takes a block: up to 2³² − 2 points, and their values or colours, as render() and render_rgb() take them.
  using Sink = std::function<void(const PointsView& points, std::span<const T> colors)>;

  /// Passes all points to the sink, in their order, at each call. It is called twice.
  std::function<void(const Sink&)> for_each;
};

/// The same picture for a cloud that comes in blocks, however it is divided. Blocks. Takes the memory that render()
/// takes for one block. Each block costs a pass over the pixels, so blocks of about as many points as the picture has
/// pixels, or more, are fastest.
/// @throws as render(), what `for_each` throws, and Error bad_input (other points than `cloud` says).
RenderResult render(const RenderBlocks<float>& cloud, const RenderOptions& options = {});
RenderResult render_rgb(const RenderBlocks<std::uint8_t>& cloud, const RenderOptions& options = {});

/// The bytes of a PNG file (8 bits per channel, sRGB, no alpha), lightly compressed. Blocks. @throws Error bad_input
/// (the image's sizes do not match its bytes), resources; std::bad_alloc.
std::string png_bytes(const Image& image);

}  // namespace kann
