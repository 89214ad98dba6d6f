// All neighbours of every query within a radius: rows of any length.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

namespace kann {

/// The rows of m queries, one after another, as SciPy's csr_matrix has them (`indptr`, `indices`, `data`). Row i is at
/// [begins[i], begins[i + 1]) of `ids` and `distances`, sorted by (distance, id).
struct NeighborLists {
  Array<std::int64_t> begins;  ///< m + 1 places, from 0 to the number of neighbours in all rows
  Array<std::int32_t> ids;     ///< row numbers of the data
  Array<float> distances;      ///< Euclidean distances (not squared), in the unit of the input; or empty, as `ids`

  std::int64_t queries() const { return begins.empty() ? 0 : static_cast<std::int64_t>(begins.size()) - 1; }
  std::int64_t neighbors() const { return begins.empty() ? 0 : begins.back(); }

  /// All of them, as long as this object is there.
  operator Rows() const { return {0, queries(), 0, begins, std::span<const std::int32_t>(ids), distances}; }
};

/// Where the rows of a search for all neighbours within a radius go in the memory of a CUDA device.
struct DeviceLists {
  std::int64_t* begins = nullptr;  ///< m + 1 places, as NeighborLists::begins
  std::int32_t* ids = nullptr;     ///< `capacity` ids; those of row i begin at begins[i]
  float* distances = nullptr;      ///< likewise
  /// Rows that end later are not written; begins[m] > capacity tells that there are any. With 0, neighbours are
  /// counted.
  std::int64_t capacity = 0;
  bool are_counted = false;  ///< `begins` has been written by a search for the same neighbours
};

/// The rows of `lists`, which must outlive the return value, as one block.
RowBlocks one_block(const NeighborLists& lists, std::int64_t data_points);

struct RadiusResult {
  NeighborLists lists;
  SearchReport report;
};

/// Finds all points of `data` (n × d coordinates, d = 2 or 3) within SearchOptions::radius of each of `queries` (m × d,
/// in the same unit), by the definition that stands there: so a row is the beginning of the row that search() finds
/// with a k that is large enough. SearchOptions::k is not used; the search is exact. Blocks until the result is in host
/// memory, where a neighbour takes 8 bytes, and up to 16 during the search.
/// @throws Error usage (no radius, an option out of range), bad_input (invalid points, dimensions differ), resources
///         (the neighbours do not fit in memory; the message says how many there are), no_device.
RadiusResult search_radius(const PointsView& data, const PointsView& queries, const SearchOptions& options);

/// search_radius() with the data as the queries. A point is not in its own row, unless `options.include_self`.
RadiusResult search_radius_self(const PointsView& data, const SearchOptions& options);

/// Counts the neighbours that search_radius() would find, in less time and without memory for them: the result has
/// NeighborLists::begins alone. @throws as search_radius().
RadiusResult count_radius(const PointsView& data, const PointsView& queries, const SearchOptions& options);

/// count_radius() with the data as the queries.
RadiusResult count_radius_self(const PointsView& data, const SearchOptions& options);

}  // namespace kann
