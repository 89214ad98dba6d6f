// The result of a search: k neighbours per query.
#pragma once

#include <cstdint>
#include <string>

#include "kann/array.hpp"
#include "kann/error.hpp"

namespace kann {

/// The id of a neighbour that does not exist (k exceeds the data, or the query is invalid); its distance is infinite.
inline constexpr std::int32_t k_missing_id = -1;

/// `queries` × `k` neighbours, row-major: one row per query, in the order of the queries, each sorted by (squared
/// distance, id).
struct Neighbors {
  std::int64_t queries = 0;
  std::int64_t k = 0;
  Array<std::int32_t> ids;  ///< queries × k row numbers of the data, or k_missing_id
  Array<float> distances;   ///< queries × k Euclidean distances (not squared), in the units of the input
};

/// Refuses arrays that do not match the shape, with "WHO: 2 rows of 1 neighbours do not match 1 ids and 1 distances".
/// @throws Error of that kind.
void check_rows(const Neighbors& rows, const std::string& who, ErrorKind kind = ErrorKind::bad_input);

}  // namespace kann
