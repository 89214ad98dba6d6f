#include "products/picture/camera.hpp"

#include <algorithm>
#include <cmath>

#include "products/picture/splat_size.hpp"

namespace kann::picture {
namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The vector with length 1. `v` may have any length but 0, also one whose square float64 does not hold.
Vector normalized(Vector v) {
  const double largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  for (double& x : v) x /= largest;
  const double length = std::sqrt(dot(v, v));
  for (double& x : v) x /= length;
  return v;
}

Axes seen_from(const Vector& direction) {
  const Vector eye = normalized(direction);
  // Seen straight from above, y is up in the picture; from below it is down, as in the coordinates of a camera
  const bool is_upright = std::hypot(eye[0], eye[1]) > 1e-6;
  const Vector right = is_upright ? normalized({-eye[1], eye[0], 0}) : Vector{1, 0, 0};
  return {right, cross(eye, right), eye};
}

Vector direction_at(double azimuth_degrees, double elevation_degrees) {
  constexpr double degree = 0.017453292519943295;
  const double a = azimuth_degrees * degree, e = elevation_degrees * degree;
  return {std::cos(a) * std::cos(e), std::sin(a) * std::cos(e), std::sin(e)};
}

/// The coordinates of the points along `axis`, relative to the first point.
std::vector<double> along(const Vector& axis, const Sample& sample) {
  std::vector<double> coordinates;
  for (const Vector& p : sample.points) {
    const Vector& first = sample.points[0];
    const double x = dot(axis, {p[0] - first[0], p[1] - first[1], p[2] - first[2]});
    if (std::isfinite(x)) coordinates.push_back(x);
  }
  return coordinates;
}

Vector scaled(const Vector& v, double factor) { return {v[0] * factor, v[1] * factor, v[2] * factor}; }

}  // namespace

Interval core_of(std::vector<double> coordinates) {
  if (coordinates.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(coordinates);
  const Interval all{*least, *most};
  const Interval middle{quantile(coordinates, 0.02), quantile(coordinates, 0.98)};
  if (!(middle.length() > 0)) return all;
  const double low = middle.low - 0.35 * middle.length(), high = middle.high + 0.35 * middle.length();
  if (all.low >= low && all.high <= high) return all;
  std::erase_if(coordinates, [&](double x) { return x < low || x > high; });
  const auto [first, last] = std::ranges::minmax_element(coordinates);
  return {*first, *last};
}

Axes axes_of(const View& view, int dimensions, const Sample& sample, const Canvas& canvas) {
  switch (view.kind) {
    case View::Kind::top:
      return seen_from({0, 0, 1});
    case View::Kind::front:
      return seen_from({0, -1, 0});
    case View::Kind::iso:
      return seen_from({1, -1, 1});
    case View::Kind::direction:
      return seen_from(view.direction);
    case View::Kind::automatic:
      break;
  }
  if (dimensions == 2) return seen_from({0, 0, 1});
  const auto length = [&](const Vector& axis) { return core_of(along(axis, sample)).length(); };
  const bool is_flat = length({0, 0, 1}) < 0.25 * std::max(length({1, 0, 0}), length({0, 1, 0}));
  Axes best;
  double best_pixels = 0;
  for (const double turn : {0, 90, 180, 270}) {
    const Axes axes = seen_from(is_flat ? direction_at(turn - 60, 50) : direction_at(turn - 50, 30));
    const double pixels = std::min(canvas.width / length(axes.right), canvas.height / length(axes.up));
    if (turn != 0 && !(pixels > 1.1 * best_pixels)) continue;
    best = axes;
    best_pixels = pixels;
  }
  return best;
}

Scene make_scene(const Canvas& canvas, int unit, const Axes& axes, const Sample& sample) {
  const Interval x = core_of(along(axes.right, sample)), y = core_of(along(axes.up, sample)),
                 z = core_of(along(axes.eye, sample));
  const double margin = 8 * unit;
  const double fit = std::min((canvas.width - 2 * margin) / x.length(), (canvas.height - 2 * margin) / y.length());
  const double pixels = std::clamp(std::isfinite(fit) ? fit : 1.0, 1e-300, 1e290);  // per unit of length

  Scene scene{};
  scene.canvas = canvas;
  Projection& to = scene.projection;
  for (int a = 0; a < 3; ++a) to.origin[a] = sample.points.empty() ? 0 : sample.points[0][a];
  const auto put = [](const Vector& axis, double* place) { std::ranges::copy(axis, place); };
  put(scaled(axes.right, pixels * k_subpixels), to.x_axis);
  put(scaled(axes.up, -pixels * k_subpixels), to.y_axis);
  to.x_centre = (canvas.width / 2.0 - x.middle() * pixels) * k_subpixels;
  to.y_centre = (canvas.height / 2.0 + y.middle() * pixels) * k_subpixels;
  const double diameter = splat_diameter(scene, sample, unit), radius = diameter / 2;  // in pixels

  // A step of depth is drawn as an outline if it is steeper than surfaces are from splat to splat, and too large to be
  // a detail of the cloud. Depths and steps are in pixels first. The range of depths has room for nine times the depth
  // of the cloud: four before it and four behind it, for points that are far away and for the paper. A cloud without
  // depth is taken to be as deep as a step
  const double step = std::max(4 * (diameter + 1), 0.012 * std::max(canvas.width, canvas.height));
  const double thickness = std::clamp(z.length() * pixels, step, std::max(step, 1e9));
  const double per_pixel = 0x1p32 / 9 / thickness;
  put(scaled(axes.eye, -pixels * per_pixel), to.depth_axis);
  to.depth_centre = 0x1p31 + z.middle() * pixels * per_pixel;

  scene.splat.radius = diameter < 1.4 ? 0 : static_cast<std::int32_t>(radius * k_subpixels);
  scene.splat.cone = static_cast<std::uint64_t>(per_pixel * 0x1p16 / (radius * k_subpixels * k_subpixels));  // 45°
  scene.surface = {.closing = static_cast<std::int32_t>(std::ceil(radius + 0.5)),
                   .smoothing = static_cast<std::int32_t>(std::lround(1.2 * diameter)),
                   .same_depth = static_cast<std::uint32_t>(step * per_pixel),
                   .background = static_cast<std::uint32_t>(0x1p31 + (thickness / 2 + 2 * step) * per_pixel),
                   .spread = std::max(1, static_cast<std::int32_t>(std::lround(unit / 3.0))),
                   .edge_low = 4 * step * per_pixel,
                   .edge_high = 8 * step * per_pixel,
                   .end_window = 0,
                   .slope = 0};
  scene.surface.end_window = static_cast<std::int32_t>(std::ceil(2 * diameter)) + scene.surface.spread;
  scene.surface.slope = 1 / (8 * scene.surface.spread * per_pixel);
  return scene;
}

}  // namespace kann::picture
