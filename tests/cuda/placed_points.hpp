// Points and neighbour keys as kernels take them, made by the tests.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "clouds.hpp"
#include "cuda/runtime/placed_point.hpp"

namespace kann::test {

/// Point i of a row-major cloud; its index is i.
inline cuda::PlacedPoint placed_point(const float* points, int d, std::size_t i) {
  const float* const row = points + i * d;
  return {row[0], row[1], d == 3 ? row[2] : 0.0f, static_cast<std::uint32_t>(i)};
}

inline std::vector<cuda::PlacedPoint> placed_points(const Coordinates& c, int d) {
  std::vector<cuda::PlacedPoint> points;
  for (std::size_t i = 0; i < c.size() / d; ++i) points.push_back(placed_point(c.data(), d, i));
  return points;
}

/// A neighbour as one number: the squared distance above, the index below; all ones is none.
inline std::uint64_t plain_neighbor_key(float sq_dist, std::uint32_t index) {
  return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(sq_dist)) << 32 | index;
}
inline constexpr std::uint64_t k_no_neighbor = ~std::uint64_t{0};

/// Sorts the keys, drops repeated ones and those of no neighbour, and brings the list to `size` keys.
inline std::vector<std::uint64_t> nearest_of(std::vector<std::uint64_t> keys, std::size_t size) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  keys.resize(std::max(keys.size(), size), k_no_neighbor);
  keys.resize(size);
  return keys;
}

}  // namespace kann::test
