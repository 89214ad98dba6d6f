// What the backends interpolate, and what they give.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/transfer.hpp"

namespace kann::interpolation {

/// Input that has been checked: ids are rows of the data or k_missing_id, all sizes match, and k is at most
/// k_max_points.
struct RbfInput {
  int dimensions = 3;
  std::span<const double> data, queries;  ///< points × dimensions
  std::span<const std::int32_t> ids;      ///< queries × k, as Neighbors has them
  std::int64_t k = 0;
  std::vector<std::span<const double>> columns;  ///< per attribute, a value per data point
  RbfOptions options;
  int threads = 1;

  std::int64_t query_count() const { return static_cast<std::int64_t>(queries.size()) / dimensions; }
};

/// `irregular`: a query that is not solved by a single system of all its neighbours and all monomials; see
/// cpu/interpolation/irregular_queries.cpp.
enum class QueryState : std::uint8_t { done, irregular };

struct RbfValues {
  std::vector<Array<double>> columns;  ///< per attribute, a value per query
  Array<QueryState> states;            ///< per query: values of irregular ones are not there yet
  std::int64_t singular = 0;           ///< queries, as in TransferResult
  std::int64_t by_distance = 0;        ///< likewise
  std::int64_t nan_values = 0;         ///< as in TransferResult
};

}  // namespace kann::interpolation
