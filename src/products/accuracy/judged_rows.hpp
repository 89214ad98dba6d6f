// Rows of a result, and the clouds that they are judged by: whole clouds, or the points of larger clouds that the rows
// need.
#pragma once

#include <cstdint>
#include <span>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann::accuracy {

/// Some points of larger clouds, in the order of those clouds.
struct PartOfClouds {
  std::span<const std::int64_t> data_rows, query_rows;  ///< ascending: their row numbers in the whole clouds

  /// The place of a data point among these; −1 if it is not one of them.
  std::int64_t place_of(std::int64_t data_row) const;

  /// The places of the points in rows of k ids each, one row for each of `query_rows`; k_missing_id stays. Blocks.
  /// @throws Error bad_input: an id that is not one of `data_rows`, of which there are at most 2³¹ − 1.
  Array<std::int32_t> places_of(std::span<const std::int64_t> ids, std::int64_t k, int threads) const;
};

struct JudgedRows {
  PointsView data;
  PointsView queries;
  const Neighbors& neighbors;          ///< one row per query; its ids are places in `data`
  const Neighbors* stored = nullptr;   ///< the reference, the same way; null: the exact neighbours
  const PartOfClouds* part = nullptr;  ///< set if data and queries are only parts of the clouds
};

}  // namespace kann::accuracy
