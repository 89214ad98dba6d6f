// Values that are computed from one row: how many neighbours it has, and the density around its query.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>

#include "kann/error.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"

namespace kann::statistics {

/// Some rows of a result that comes in blocks, with the members of Neighbors that readers need.
struct BlockRows {
  std::int64_t queries, k;
  std::span<const std::int64_t> ids;
  std::span<const float> distances;
};

/// Calls f(rows) with the rows of each block.
template <class F>
void for_each_block(const RowBlocks& blocks, F&& f) {
  blocks.for_each([&](std::span<const std::int64_t> ids, std::span<const float> distances) {
    const auto values = static_cast<std::int64_t>(distances.size());
    f(BlockRows{blocks.k > 0 ? values / blocks.k : 0, blocks.k, ids, distances});
  });
}

/// Whether value `i` is a missing neighbour. Looks at the distance first, so that half of the memory is not read.
/// `Rows` is Neighbors or BlockRows.
template <class Rows>
bool is_missing(const Rows& n, std::int64_t i) {
  return std::isinf(n.distances[static_cast<std::size_t>(i)]) && n.ids[static_cast<std::size_t>(i)] == k_missing_id;
}

/// The number of neighbours in a row.
template <class Rows>
std::int64_t neighbor_count(const Rows& n, std::int64_t row) {
  std::int64_t count = n.k;
  while (count > 0 && is_missing(n, row * n.k + count - 1)) --count;
  return count;
}

/// The density of `count` points in a ball (2-D: disc) of that radius.
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
