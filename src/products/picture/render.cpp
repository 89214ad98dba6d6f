#include "kann/render.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "products/picture/camera.hpp"
#include "products/picture/classes.hpp"
#include "products/picture/color_map.hpp"
#include "products/picture/color_range.hpp"
#include "products/picture/draw.hpp"
#include "products/picture/legend.hpp"
#include "products/picture/sample.hpp"

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
  const auto check_text = [](const char* name, const std::string& text) {
    if (std::ranges::any_of(text, [](char c) { return c < ' ' || c > '~'; }))
      throw Error(ErrorKind::usage, std::string("picture: ") + name + " expects printable ASCII");
  };
  check_text("label", options.label);
  check_text("unit", options.unit);
  for (const ClassLook& look : options.class_looks) check_text("the name of a class", look.name);
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

void check_dimensions(int dimensions) {
  if (dimensions != 2 && dimensions != 3)
    throw Error(ErrorKind::bad_input, "picture: points of " + std::to_string(dimensions) + " coordinates");
}

template <class T>
PointColors colors_of(const PointsView& points, std::span<const T> colors) {
  constexpr bool are_values = std::is_same_v<T, float>;
  constexpr std::size_t channels = are_values ? 1 : 3;
  if (colors.size() % channels != 0)
    throw Error(ErrorKind::bad_input, fmt::format("picture: {} bytes are no colours of 3 bytes", colors.size()));
  check_dimensions(points.dimensions);
  const auto n = static_cast<std::uint64_t>(points.size());
  if (n > std::numeric_limits<std::uint32_t>::max() - 1)
    throw Error(ErrorKind::bad_input, fmt::format("picture: {} points are more than 4294967294", n));
  if (colors.size() != channels * n)
    throw Error(ErrorKind::bad_input, fmt::format("picture: {} points do not match {} {}", n, colors.size() / channels,
                                                  are_values ? "values" : "colours"));
  PointColors out;
  if constexpr (are_values)
    out.values = colors.data();
  else
    out.colors = colors.data();
  return out;
}

/// A cloud in blocks, of which each is checked.
struct ColoredCloud {
  using Sink = std::function<void(const PointsView&, const PointColors&)>;
  std::int64_t points;
  int dimensions;
  bool has_values;  ///< else, it has colours
  std::function<void(const Sink&)> for_each;
};

template <class T>
ColoredCloud colored_cloud(const RenderBlocks<T>& cloud) {
  return {cloud.points, cloud.dimensions, std::is_same_v<T, float>, [&cloud](const ColoredCloud::Sink& sink) {
            std::int64_t points = 0;
            cloud.for_each([&](const PointsView& block, std::span<const T> colors) {
              const PointColors checked = colors_of(block, colors);
              if (block.dimensions != cloud.dimensions)
                throw Error(ErrorKind::bad_input, "picture: blocks of 2 and of 3 coordinates");
              points += block.size();
              sink(block, checked);
            });
            if (points != cloud.points)
              throw Error(ErrorKind::bad_input, "picture: blocks of " + std::to_string(points) + " points, not " +
                                                    std::to_string(cloud.points));
          }};
}

/// What is looked up in all points before they are drawn.
struct Survey {
  picture::Sample sample;
  ClassCounts classes;  ///< empty if the values are not drawn as classes
  ValueBounds bounds;   ///< of the values, if there are no classes
};

Survey survey_of(const ColoredCloud& cloud, bool may_have_classes) {
  Sampler sampler(cloud.points);
  ClassCounts classes;
  ValueBounds bounds;
  cloud.for_each([&](const PointsView& points, const PointColors& colors) {
    sampler.add(points, colors);
    if (!cloud.has_values) return;
    const std::span values(colors.values, static_cast<std::size_t>(points.size()));
    if (may_have_classes) classes.add(values);
    if (!may_have_classes || classes.are_too_many) bounds.add(values);
  });
  if (!classes.are_too_many) return {sampler.finish(), classes, bounds};
  bounds.add(classes.values);  // blocks that were not added have no other values
  return {sampler.finish(), {}, bounds};
}

/// Marks are the larger the fewer there are: together, they cover up to a fiftieth of the canvas.
void set_marks(Scene& scene, const ClassColors& classes, int unit) {
  const double least = std::max(1.0, 2.0 * scene.splat.radius / k_subpixels), most = std::max(3.0, 4.0 * unit);
  const double diameter =
      std::sqrt(static_cast<double>(scene.canvas.pixels()) / 40 / static_cast<double>(classes.marks));
  scene.mark.radius = static_cast<std::int32_t>(std::clamp(diameter, least, std::max(least, most)) / 2 * k_subpixels);
  scene.mark_color = classes.mark_color;
  scene.marks_are_behind = classes.marks_are_behind;
}

RenderResult make_picture(const ColoredCloud& cloud, const RenderOptions& options) {
  check_options(options);
  check_dimensions(cloud.dimensions);
  const int threads = base::thread_count(options.threads);
  Survey survey = survey_of(cloud, options.has_classes);
  const picture::Sample& sample = survey.sample;
  const ClassColors classes = class_colors(survey.classes, options);
  const bool has_classes = !classes.entries.empty();
  ColorRange range;
  if (cloud.has_values && !has_classes) range = color_range(survey.bounds, std::move(survey.sample.values), options);
  const double low = range.is_log ? std::log10(range.low) : range.low - options.offset;
  const double high = range.is_log ? std::log10(range.high) : range.high - options.offset;

  RenderResult out;
  Image& image = out.image;
  image.width = options.width;
  image.height = options.height;
  const bool is_empty = sample.points.empty(), has_legend = cloud.has_values && !is_empty;
  const int strip = is_empty ? 0 : legend_height(options.width, options.height, has_legend);
  const int unit = text_unit(options.width, options.height);
  const Canvas canvas{options.width, options.height - strip};
  const Axes axes = axes_of(options.view, cloud.dimensions, sample, canvas);
  Scene scene = make_scene(canvas, unit, axes, sample);
  if (classes.marked) set_marks(scene, classes, unit);
  FrameBuffer frame(scene, threads);
  cloud.for_each([&](const PointsView& points, PointColors colors) {
    colors.map = has_classes ? classes.map.data() : color_map().data();
    colors.low = low;
    colors.scale = k_colors / (high - low);
    colors.is_log = range.is_log;
    colors.classes = survey.classes.values;
    colors.marked = classes.marked;
    frame.draw(points, colors);
  });
  static_cast<RenderCounts&>(out) = frame.counts();
  image.rgb = frame.finish();
  image.rgb.resize(3 * static_cast<std::size_t>(image.width) * image.height);
  const std::size_t drawn_bytes = 3 * static_cast<std::size_t>(canvas.pixels());
  for (std::size_t i = drawn_bytes; i < image.rgb.size(); ++i)
    image.rgb[i] = static_cast<std::uint8_t>(k_paper >> (16 - 8 * (i % 3)));
  if (has_legend)
    has_classes ? draw_class_legend(image, classes.entries, options.label) : draw_legend(image, range, options.label);
  if (is_empty)
    draw_notice(image, "no points");
  else
    draw_scale_bar(image, scene.projection.pixels_per_unit(), options.unit);
  return out;
}

}  // namespace

RenderResult render(const RenderBlocks<float>& cloud, const RenderOptions& options) {
  return make_picture(colored_cloud(cloud), options);
}

RenderResult render_rgb(const RenderBlocks<std::uint8_t>& cloud, const RenderOptions& options) {
  return make_picture(colored_cloud(cloud), options);
}

RenderResult render(const PointsView& points, std::span<const float> values, const RenderOptions& options) {
  return render({std::ssize(values), points.dimensions, [&](const auto& sink) { sink(points, values); }}, options);
}

RenderResult render_rgb(const PointsView& points, std::span<const std::uint8_t> colors, const RenderOptions& options) {
  return render_rgb({std::ssize(colors) / 3, points.dimensions, [&](const auto& sink) { sink(points, colors); }},
                    options);
}

}  // namespace kann
