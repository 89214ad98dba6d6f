#include "kann/render.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kann/error.hpp"

#include "base/parallel.hpp"
#include "picture/camera.hpp"
#include "picture/classes.hpp"
#include "picture/color_map.hpp"
#include "picture/draw.hpp"
#include "picture/legend.hpp"
#include "picture/sample.hpp"
#include "picture/ticks.hpp"

namespace kann {
namespace {

using namespace picture;

constexpr int k_smallest = 16, k_largest = 16384;

void check_options(const RenderOptions& options) {
  const auto check_size = [](const char* name, int size) {
    if (size < k_smallest || size > k_largest)
      throw Error(ErrorKind::usage,
                  std::string("picture: ") + name + " expects 16 to 16384 pixels, got " + std::to_string(size));
  };
  check_size("width", options.width);
  check_size("height", options.height);
  if (options.threads < 0)
    throw Error(ErrorKind::usage, "picture: threads expects 0 or more, got " + std::to_string(options.threads));
  for (const char c : options.label)
    if (c < ' ' || c > '~') throw Error(ErrorKind::usage, "picture: label expects printable ASCII");
  if (options.range) {
    const auto [low, high] = *options.range;
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !std::isfinite(high - low) ||
        !std::isfinite(1 / (high - low)))
      throw Error(ErrorKind::usage, "picture: range expects two finite numbers, the second one larger");
    if (options.scale == ColorScale::log && low <= 0)
      throw Error(ErrorKind::usage, "picture: range expects two positive numbers for a logarithmic scale");
  }
  if (options.view.kind == View::Kind::direction) {
    const auto& d = options.view.direction;
    if (!std::isfinite(d[0]) || !std::isfinite(d[1]) || !std::isfinite(d[2]) || (d[0] == 0 && d[1] == 0 && d[2] == 0))
      throw Error(ErrorKind::usage, "picture: direction expects three finite numbers that are not all 0");
  }
}

void check_points(const PointsView& points, std::size_t colors, const char* what) {
  if (points.dimensions != 2 && points.dimensions != 3)
    throw Error(ErrorKind::bad_input, "picture: points of " + std::to_string(points.dimensions) + " coordinates");
  const auto n = static_cast<std::uint64_t>(points.size());
  if (n > std::numeric_limits<std::uint32_t>::max() - 1)
    throw Error(ErrorKind::bad_input, "picture: " + std::to_string(n) + " points are more than 4294967294");
  if (colors != n)
    throw Error(ErrorKind::bad_input,
                "picture: " + std::to_string(n) + " points do not match " + std::to_string(colors) + " " + what);
}

bool prefers_log(std::vector<float>& values) {
  constexpr double least_factor = 50, low_part = 0.2;
  if (values.empty()) return false;
  const double low = quantile(values, 0.01), middle = quantile(values, 0.5), high = quantile(values, 0.99);
  return low > 0 && high >= least_factor * low && middle - low < low_part * (high - low);
}

/// The range of the colour bar for values in [least, most]: from the 1st to the 99th percentile of a sample, so that a
/// few outliers do not widen it, extended to the next round numbers; a range around the value if all are equal.
std::pair<double, double> range_of(std::vector<float>& sample, double least, double most, double offset, bool is_log) {
  if (is_log) std::erase_if(sample, [](float value) { return value <= 0; });
  if (sample.empty()) return {is_log ? 0.1 : 0, 1};
  const double low = offset + quantile(sample, 0.01), high = offset + quantile(sample, 0.99);
  if (low < high) {
    const auto [lower, higher] = rounded_out(low, high, is_log);
    return {least < low ? lower : low, most > high ? higher : high};
  }
  if (least < most && !(is_log && least <= 0)) return {least, most};
  const double around = low == 0 ? 1 : std::abs(low) / 2;
  return {low - around, high + around};
}

/// The range of the colour bar, and its scale.
ColorRange color_range(std::span<const float> values, std::vector<float>& sample, const RenderOptions& options) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, options.offset + static_cast<double>(value));
    most = std::max(most, options.offset + static_cast<double>(value));
  }
  if (options.scale == ColorScale::log && !options.range && least <= most && most <= 0)
    throw Error(ErrorKind::usage, "picture: a logarithmic scale needs positive values, and there are none");
  ColorRange out;
  const bool may_be_log = options.offset == 0 && (!options.range || options.range->first > 0);
  out.is_log = may_be_log &&
               (options.scale == ColorScale::log || (options.scale == ColorScale::automatic && prefers_log(sample)));
  std::tie(out.low, out.high) =
      options.range ? *options.range : range_of(sample, least, most, options.offset, out.is_log);
  out.has_lower = least < out.low;
  out.has_higher = most > out.high;
  return out;
}

/// The decimal logarithms of the values; the lowest float for values that are not positive.
Array<float> logarithms(std::span<const float> values, int threads) {
  Array<float> out(values.size());
  base::parallel_for(std::ssize(values), threads, [&](std::int64_t i) {
    const float value = values[static_cast<std::size_t>(i)];
    out[static_cast<std::size_t>(i)] = value <= 0             ? std::numeric_limits<float>::lowest()
                                       : std::isfinite(value) ? static_cast<float>(std::log10(double{value}))
                                                              : value;
  });
  return out;
}

std::vector<std::string> names_of(std::span<const float> classes, double offset) {
  std::vector<std::string> names;
  for (const float value : classes)
    names.push_back(offset == 0 ? fmt::format("{}", value) : fmt::format("{}", offset + static_cast<double>(value)));
  return names;
}

/// A picture of the points in `colors`. If these are given by values, their map and range are chosen here.
/// @param classes the classes, if the values are class numbers; else empty
RenderResult make_picture(const PointsView& points, PointColors colors, const RenderOptions& options,
                          std::span<const float> classes = {}) {
  const int threads = base::thread_count(options.threads);
  picture::Sample sample = take_sample(points, colors);
  const bool has_classes = !classes.empty();
  ColorRange range;
  Array<float> logs;
  if (colors.values && !has_classes) {
    const std::span values(colors.values, static_cast<std::size_t>(points.size()));
    range = color_range(values, sample.values, options);
    if (range.is_log) logs = logarithms(values, threads);
    if (!logs.empty()) colors.values = logs.data();
  }
  const double low = range.is_log ? std::log10(range.low) : range.low - options.offset;
  const double high = range.is_log ? std::log10(range.high) : range.high - options.offset;
  colors.map = color_map().data();
  colors.low = has_classes ? 0 : low;
  colors.scale = has_classes ? class_step(static_cast<int>(classes.size())) : k_colors / (high - low);

  RenderResult out;
  Image& image = out.image;
  image.width = options.width;
  image.height = options.height;
  const bool has_legend = colors.values && !sample.points.empty();
  const Canvas canvas{options.width, options.height - (has_legend ? legend_height(options.width, options.height) : 0)};
  const Axes axes = axes_of(options.view, points.dimensions, sample, canvas);
  const Scene scene = make_scene(canvas, text_unit(options.width, options.height), axes, sample);
  Drawing drawing = draw(points, colors, scene, threads);
  out.drawn = drawing.counts.drawn;
  out.outside = drawing.counts.outside;
  out.left_out = drawing.counts.left_out;

  image.rgb = std::move(drawing.rgb);
  image.rgb.resize(3 * static_cast<std::size_t>(image.width) * image.height);
  const std::size_t drawn_bytes = 3 * static_cast<std::size_t>(canvas.pixels());
  for (std::size_t i = drawn_bytes; i < image.rgb.size(); ++i)
    image.rgb[i] = static_cast<std::uint8_t>(k_paper >> (16 - 8 * (i % 3)));
  if (has_legend)
    has_classes ? draw_class_legend(image, names_of(classes, options.offset), options.label)
                : draw_legend(image, range, options.label);
  if (sample.points.empty()) draw_notice(image, "no points");
  return out;
}

}  // namespace

RenderResult render(const PointsView& points, std::span<const float> values, const RenderOptions& options) {
  check_options(options);
  check_points(points, values.size(), "values");
  const auto colors_of = [](std::span<const float> v) {
    static constexpr float none = 0;  // so that the values have an address even if there are no points
    return PointColors{.values = v.empty() ? &none : v.data(), .colors = nullptr, .map = nullptr, .low = 0, .scale = 0};
  };
  if (options.has_classes)
    if (const auto classes = classes_of(values))
      return make_picture(points, colors_of(classes->numbers), options, classes->values);
  return make_picture(points, colors_of(values), options);
}

RenderResult render_rgb(const PointsView& points, std::span<const std::uint8_t> colors, const RenderOptions& options) {
  check_options(options);
  if (colors.size() % 3 != 0)
    throw Error(ErrorKind::bad_input, "picture: " + std::to_string(colors.size()) + " bytes are no colours of 3 bytes");
  check_points(points, colors.size() / 3, "colours");
  return make_picture(points, {.values = nullptr, .colors = colors.data(), .map = nullptr, .low = 0, .scale = 0},
                      options);
}

}  // namespace kann
