// All points within a radius of each query: the descent of the exact search, with bounds that stay as they are.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

#include "cpu/nearest/nearest.hpp"
#include "cpu/vector/names.hpp"
#include "geometry/within_radius.hpp"

namespace kann::cpu {

template <int D>
struct RadiusSearch {
  NearestSearch<D> in;  ///< `rows` are not used
  geometry::WithinRadius within;
};

/// The neighbours of some queries, one query after another, as keys: the distance as it is written, and the id.
/// Ascending for each query.
struct FoundKeys {
  Array<std::uint64_t> keys;  ///< may be longer than `count`
  std::int64_t count = 0;
};

/// Finds all points within the radius of queries from `begin` on, and appends their keys to `found`; null: they are
/// only counted. Sets counts[row] of each query. Returns where it has ended: at `end`, or after a query with which the
/// keys have become more than k_many_keys.
template <int D>
std::int64_t find_within(const RadiusSearch<D>& search, std::int64_t begin, std::int64_t end, std::int32_t* counts,
                         FoundKeys* found);

inline constexpr std::int64_t k_many_keys = 1 << 20;

}  // namespace kann::cpu
