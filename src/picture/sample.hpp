// Points from all over a cloud, from which a picture's frame and colours are chosen.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kann/points.hpp"

#include "picture/cloud.hpp"

namespace kann::picture {

struct Sample {
  std::vector<std::array<double, 3>> points;  ///< z is 0 in 2-D
  std::vector<float> values;                  ///< of each, if the colours are from values
  double stands_for = 1;                      ///< points of the cloud, each
};

inline constexpr std::int64_t k_sample_size = std::int64_t{1} << 16;

/// One point of each of up to 2¹⁶ runs of equal length, at places that look random: scans are regular, and a fixed
/// stride would take whole columns of them. Where few of these can be drawn, all others are looked through. Points that
/// cannot be drawn are left out.
Sample take_sample(const PointsView& points, const PointColors& colors);

/// The value that `part` (0 to 1) of the values are below, by nearest rank. Reorders them; there must be one.
template <class T>
T quantile(std::vector<T>& values, double part);

}  // namespace kann::picture
