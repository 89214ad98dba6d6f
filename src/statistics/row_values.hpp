// What is read from one row: how many neighbours it has, and the density around its query.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "kann/error.hpp"
#include "kann/neighbors.hpp"

namespace kann::statistics {

/// Whether value `i` is no neighbour. Its distance says so first: half of the memory is left unread.
inline bool is_missing(const Neighbors& n, std::int64_t i) {
  return std::isinf(n.distances[static_cast<std::size_t>(i)]) && n.ids[static_cast<std::size_t>(i)] == k_missing_id;
}

/// The number of neighbours in a row.
inline std::int64_t neighbor_count(const Neighbors& n, std::int64_t row) {
  std::int64_t count = n.k;
  while (count > 0 && is_missing(n, row * n.k + count - 1)) --count;
  return count;
}

/// Of `count` points in a ball (2-D: disc) of that radius.
inline double density_in_ball(double count, double radius, int dimensions) {
  return count / (dimensions == 3 ? 4.0 / 3.0 * std::numbers::pi * radius * radius * radius
                                  : std::numbers::pi * radius * radius);
}

/// @throws Error bad_input.
inline void check_dimensions(int dimensions, const std::string& who) {
  if (dimensions != 2 && dimensions != 3)
    throw Error(ErrorKind::bad_input, who + ": points of " + std::to_string(dimensions) + " coordinates");
}

}  // namespace kann::statistics
