#include "products/picture/color_range.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "kann/error.hpp"

#include "products/picture/sample.hpp"
#include "products/picture/ticks.hpp"

namespace kann::picture {
namespace {

bool prefers_log(std::vector<float>& values) {
  constexpr double least_factor = 50, low_part = 0.2;
  if (values.empty()) return false;
  const double low = quantile(values, 0.01), most = quantile(values, 0.75), high = quantile(values, 0.99);
  return low > 0 && high >= least_factor * low && most - low < low_part * (high - low);
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
  if (low == 0) return {0, 1};
  return {low - std::abs(low) / 2, high + std::abs(low) / 2};
}

}  // namespace

void ValueBounds::add(std::span<const float> values) {
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, static_cast<double>(value));
    most = std::max(most, static_cast<double>(value));
  }
}

ColorRange color_range(const ValueBounds& bounds, std::vector<float> sample, const RenderOptions& options) {
  const double least = options.offset + bounds.least, most = options.offset + bounds.most;
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

}  // namespace kann::picture
