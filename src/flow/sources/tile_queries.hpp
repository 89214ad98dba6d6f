// Where the queries of a search in tiles come from.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "flow/sources/point_source.hpp"
#include "formats/files/spool.hpp"

namespace kann::flow {

/// The data are the queries: each tile has its own.
struct DataQueries {};

/// All points of another cloud, in their order.
struct CloudQueries {
  const PointSource& cloud;
};

/// Queries with numbers of their own, which need not follow each other.
struct RecordedQueries {
  formats::Spool&
      records;       ///< sequence 0: the number and the coordinates of each query of this rank; they are forgotten
  std::string name;  ///< in messages
  bool is_float64;   ///< coordinates are double, as they must be where the data are float64; or float
};

using TileQueries = std::variant<DataQueries, CloudQueries, RecordedQueries>;

inline TileQueries queries_of(const PointSource* cloud) {
  return cloud ? TileQueries(CloudQueries{*cloud}) : TileQueries(DataQueries());
}

/// Whether only float64 holds the points of both.
inline bool are_float64(const PointSource& data, const TileQueries& queries) {
  if (const auto* const cloud = std::get_if<CloudQueries>(&queries))
    return data.is_float64() || cloud->cloud.is_float64();
  if (const auto* const records = std::get_if<RecordedQueries>(&queries)) return records->is_float64;
  return data.is_float64();
}

inline const std::string& name_of(const PointSource& data, const TileQueries& queries) {
  if (const auto* const cloud = std::get_if<CloudQueries>(&queries)) return cloud->cloud.name();
  if (const auto* const records = std::get_if<RecordedQueries>(&queries)) return records->name;
  return data.name();
}

}  // namespace kann::flow
