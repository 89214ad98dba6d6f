// What a judge is told of a row and of its exact neighbours. It needs no clouds.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "kann/neighbors.hpp"

namespace kann::accuracy {

/// A neighbour. Of two, the one with the smaller (d², id) is nearer.
struct Nearest {
  double sq_dist = 0;  ///< scaled
  std::int64_t id = 0;

  auto operator<=>(const Nearest&) const = default;
};

/// What a row has in one of its k places.
struct NamedPoint {
  /// Whether the point can be a neighbour of the query, and the first reason why not.
  enum class Standing { neighbor, own, of_other_group, invalid, too_far };

  std::int64_t id = k_missing_id;
  float distance = 0;  ///< as the row has it
  Standing standing = Standing::neighbor;
  double sq_dist = 0;  ///< the true one, scaled
  double error = 0;    ///< how far the distance in a row that is not exact may be from the true one, scaled
};

struct JudgedRow {
  std::int64_t number = 0;     ///< of the query, among all
  bool is_valid = true;        ///< the coordinates of the query are finite
  std::int64_t available = 0;  ///< how many points a valid query can have as neighbours
  std::vector<NamedPoint> named;
};

}  // namespace kann::accuracy
