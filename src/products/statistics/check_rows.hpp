// The check that every function of this folder applies to a result.
#pragma once

#include <string>

#include "kann/error.hpp"
#include "kann/neighbors.hpp"

namespace kann::statistics {

/// Refuses arrays that do not match the shape. @throws Error bad_input ("WHO: 2 rows of 1 neighbours do not match 1 ids
///         and 1 distances").
inline void check_rows(const Neighbors& n, const std::string& who) {
  __extension__ using Wide = __int128;
  const Wide values = static_cast<Wide>(n.queries) * n.k;
  if (n.queries < 0 || n.k < 0 || n.ids.size() != values || n.distances.size() != values)
    throw Error(ErrorKind::bad_input, who + ": " + std::to_string(n.queries) + " rows of " + std::to_string(n.k) +
                                          " neighbours do not match " + std::to_string(n.ids.size()) + " ids and " +
                                          std::to_string(n.distances.size()) + " distances");
}

}  // namespace kann::statistics
