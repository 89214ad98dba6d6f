#include "cli/job/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <variant>

#include "kann/outliers.hpp"

#include "base/utf8.hpp"
#include "cli/job/wanted_attributes.hpp"

namespace kann::cli {
namespace {

constexpr std::array<std::string_view, 3> k_channels = {"red", "green", "blue"};

Array<float> nearest_distances(const Neighbors& n) {
  Array<float> out(static_cast<std::size_t>(n.queries));
  for (std::int64_t q = 0; q < n.queries; ++q)
    out[static_cast<std::size_t>(q)] = n.distances[static_cast<std::size_t>(q * n.k)];
  return out;
}

/// What to subtract from the values: the smallest one if float32 does not tell them apart, as with GPS times; else 0.
double offset_of(const auto& values) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const auto value : values)
    if (const auto number = static_cast<double>(value); std::isfinite(number)) {
      least = std::min(least, number);
      most = std::max(most, number);
    }
  constexpr double apart = 0x1p-8;
  const bool are_close = least <= most && most - least < apart * std::max(std::abs(least), std::abs(most));
  return are_close ? least : 0;
}

Array<float> as_floats(const auto& values, double offset = 0) {
  Array<float> out(values.size());
  std::ranges::transform(values, out.begin(),
                         [&](auto value) { return static_cast<float>(static_cast<double>(value) - offset); });
  return out;
}

/// The attributes that the picture shows: own attributes of the queries, else those that were transferred under the
/// given name, or as red, green and blue. Three attributes are colours.
std::vector<const Attribute*> shown_attributes(const Options& options, const PictureSource& source,
                                               std::string_view by) {
  if (!source.own.empty()) return {source.own.begin(), source.own.end()};
  std::vector<const Attribute*> shown;
  const auto add = [&](std::string_view name) {
    for (const Transferred& t : source.transferred)
      if (options.transfer[t.from.name] == name) shown.push_back(&t.attribute);
  };
  if (shows_colors(options))
    for (const std::string_view channel : k_channels) add(channel);
  else
    add(by);
  return shown;
}

/// The value of a full channel: 1 for fractions, 255 for bytes; for 16-bit words 65,535, as in LAS, unless all values
/// are at most 255.
double full_scale(std::span<const Attribute* const> channels) {
  double largest = 0;
  for (const Attribute* const channel : channels)
    std::visit(
        [&](const auto& values) {
          for (const auto value : values)
            if (const auto number = static_cast<double>(value); std::isfinite(number))
              largest = std::max(largest, number);
        },
        channel->values);
  const bool are_whole = std::ranges::all_of(channels, [](const Attribute* c) { return c->is_whole(); });
  if (!are_whole && largest <= 1) return 1;
  return largest <= 255 ? 255 : 65535;
}

std::vector<std::uint8_t> bytes_of(std::span<const Attribute* const> channels, std::int64_t points) {
  const double scale = 255 / full_scale(channels);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(3 * points));
  for (std::size_t c = 0; c < 3; ++c)
    std::visit(
        [&](const auto& values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            const double level = std::nearbyint(static_cast<double>(values[i]) * scale);
            bytes[3 * i + c] = static_cast<std::uint8_t>(level >= 0 ? std::min(level, 255.0) : 0);  // NaN becomes 0
          }
        },
        channels[c]->values);
  return bytes;
}

/// The name in the ASCII characters that a picture can show.
std::string label_of(std::string_view name) {
  std::string label;
  while (!name.empty()) {
    const bool is_shown = name[0] >= ' ' && name[0] <= '~';
    label += is_shown ? name[0] : '?';
    name.remove_prefix(base::first_utf8_part(name).size);
  }
  return label;
}

}  // namespace

RenderResult draw_picture(const Options& options, const PictureSource& source, int threads) {
  const std::string by = options.picture_by.value_or("distance");
  const PictureSize size = options.picture_size.value_or(PictureSize());
  RenderOptions how;
  how.view = options.view.value_or(View());
  how.width = size.width;
  how.height = size.height;
  how.scale = options.color_scale.value_or(ColorScale::automatic);
  how.range = options.color_range;
  how.threads = threads;
  const std::vector<const Attribute*> shown = shown_attributes(options, source, by);
  if (shown.size() == k_channels.size()) return render_rgb(source.queries, bytes_of(shown, source.queries.size()), how);
  if (!shown.empty()) {
    how.label = label_of(by);
    how.has_classes = std::visit(
        [](const auto& values) {
          return std::is_integral_v<typename std::remove_cvref_t<decltype(values)>::value_type>;
        },
        shown.front()->values);
    return std::visit(
        [&](const auto& values) {
          if (how.scale != ColorScale::log) how.offset = offset_of(values);
          return render(source.queries, as_floats(values, how.offset), how);
        },
        shown.front()->values);
  }
  if (by == "outlier") {
    how.label = "outliers";
    how.has_classes = true;
    return render(source.queries, as_floats(source.outliers->is_outlier), how);
  }
  if (by == "density") {
    how.label = source.queries.dimensions == 2 ? "points per unit of area" : "points per unit of volume";
    return render(source.queries, as_floats(densities(source.neighbors, source.queries.dimensions, threads)), how);
  }
  if (by == "mean_distance") {
    how.label = "mean distance to " + std::to_string(source.neighbors.k) + " neighbours";
    return render(source.queries, mean_distances(source.neighbors, 0, threads), how);
  }
  how.label = "distance to the nearest neighbour";
  return render(source.queries, nearest_distances(source.neighbors), how);
}

}  // namespace kann::cli
