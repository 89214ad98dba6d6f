// The mark of points that a condition leaves out of a cloud.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace kann::base {

/// The first coordinate of such a point. It is a NaN, so that searches skip the point, as they do invalid ones, and its
/// row keeps its number. Its payload, which no calculation makes, tells it from NaN in a file, as that of R's NA does;
/// it stays when the coordinate becomes a double.
inline constexpr float k_left_out = std::bit_cast<float>(std::uint32_t{0x7fc0'0b5e});

inline bool is_left_out(double coordinate) {
  return std::isnan(coordinate) &&
         std::bit_cast<std::uint32_t>(static_cast<float>(coordinate)) == std::bit_cast<std::uint32_t>(k_left_out);
}

}  // namespace kann::base
