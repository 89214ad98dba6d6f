#include "io/clouds/las_axis.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "io/files/refusal.hpp"
#include "io/points/table/number.hpp"

namespace kann::io {
namespace {

constexpr double k_largest_integer = std::numeric_limits<std::int32_t>::max();
constexpr int k_coarsest_usual = -3, k_finest = -300;  // exponents of ten

/// Correctly rounded, which pow() need not be.
double power_of_ten(int exponent) {
  double power = 0;
  parse_number(fmt::format("1e{}", exponent), power);
  return power;
}

bool gives_back(const LasAxis& axis, const LasCoordinates& coordinates, double tolerance) {
  for (std::int64_t i = 0; i < coordinates.count; ++i) {
    const double value = coordinates.at(i), back = axis.coordinate(axis.integer(value));
    if (coordinates.is_float ? static_cast<float>(back) != static_cast<float>(value)
                             : !(std::abs(back - value) <= tolerance))
      return false;
  }
  return true;
}

}  // namespace

std::int32_t LasAxis::integer(double coordinate) const {
  return static_cast<std::int32_t>(std::nearbyint((coordinate - offset) / scale));
}

LasAxis choose_las_axis(const LasCoordinates& coordinates, const std::string& file) {
  LasAxis axis;
  if (coordinates.count == 0) return axis;
  double minimum = coordinates.at(0), maximum = minimum;
  for (std::int64_t i = 0; i < coordinates.count; ++i) {
    const double value = coordinates.at(i);
    if (!std::isfinite(value))
      refuse(file, fmt::format("point {}: {} is {}, which LAS cannot hold; leave such points out, or "
                               "write ply or cloud-csv",
                               i, coordinates.axis, value));
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
  }
  axis.offset = std::floor(minimum);
  const double extent = maximum - axis.offset;
  const auto fits = [&](int exponent) { return extent / power_of_ten(exponent) < k_largest_integer; };
  int exponent = k_coarsest_usual;
  while (!fits(exponent) && exponent < std::numeric_limits<double>::max_exponent10) ++exponent;
  if (!fits(exponent) || !std::isfinite(axis.offset))
    refuse(file, fmt::format("{} from {} to {} is more than LAS can hold; write ply or cloud-csv", coordinates.axis,
                             minimum, maximum));
  const double tolerance = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(minimum), std::abs(maximum));
  for (axis.scale = power_of_ten(exponent); !gives_back(axis, coordinates, tolerance);) {
    if (exponent == k_finest || !fits(exponent - 1)) break;
    axis.scale = power_of_ten(--exponent);
  }
  axis.minimum = axis.coordinate(axis.integer(minimum));
  axis.maximum = axis.coordinate(axis.integer(maximum));
  return axis;
}

}  // namespace kann::io
