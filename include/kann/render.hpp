// A picture of a cloud, coloured by a value per point, without a display.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "kann/array.hpp"
#include "kann/device.hpp"
#include "kann/points.hpp"

namespace kann {

/// From where a cloud is seen: by an orthographic projection, with z up. `automatic` is the view that shows most of it:
/// from above for clouds that are flat, else at an angle.
struct View {
  enum class Kind { automatic, top, front, iso, direction };
  Kind kind = Kind::automatic;
  std::array<double, 3> direction = {0, 0, 1};  ///< from the cloud to the eye, of any length, for Kind::direction
};

struct RenderOptions {
  View view;
  int width = 1600, height = 1200;                 ///< pixels, 16 to 16,384 each
  std::string label;                               ///< of the legend, e.g. "distance (m)"; ASCII
  std::optional<std::pair<double, double>> range;  ///< of the colour map; default: percentiles of the values
  DeviceChoice device = {DeviceKind::cpu, 0};
  int threads = 0;  ///< CPU threads; 0: all of the machine
};

/// 8 bits per channel, row-major from the top left: the pixel in column x and row y begins at rgb[3·(y·width + x)].
struct Image {
  int width = 0, height = 0;
  Array<std::uint8_t> rgb;
};

struct RenderResult {
  Image image;
  std::int64_t drawn = 0;     ///< points whose centre is in the picture, seen or hidden by others
  std::int64_t outside = 0;   ///< points beside it: far outliers, which do not widen it
  std::int64_t left_out = 0;  ///< points with invalid coordinates or with a value that is NaN or infinite
};

/// Draws `points` in colours that stand for `values` (one per point), with depth edges outlined and a legend. The same
/// bytes on every device and with every number of threads. A cloud without a point to draw gives an empty picture that
/// says so. Blocks.
/// @throws Error usage (options), bad_input (sizes that do not match), resources, no_device.
RenderResult render(const PointsView& points, std::span<const float> values, const RenderOptions& options = {});

/// The same in colours of the points' own: red, green and blue of each, 3 × points.size() bytes; without a legend.
RenderResult render_rgb(const PointsView& points, std::span<const std::uint8_t> colors,
                        const RenderOptions& options = {});

/// The bytes of a PNG file (8 bits per channel, no alpha). Blocks. @throws Error resources.
std::string png_bytes(const Image& image);

}  // namespace kann
