// From clouds as they were read to a Problem: checks, the frame of the data, the parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "problem/prepared_data.hpp"
#include "problem/problem.hpp"
#include "problem/survey.hpp"

namespace kann::problem {

/// Points of a search are less far apart, along each axis: squares of wider differences overflow in float64.
inline constexpr double k_max_width = 0x1p510;

/// A Problem and the memory that it points into. Skipped rows are not part of it.
struct Prepared {
  Problem problem;
  std::shared_ptr<const PreparedData> data;
  Survey queries;          ///< of all that were given
  std::string query_name;  ///< empty in a self-query
  std::int64_t data_skipped = 0, query_skipped = 0;
  double width = 0;                ///< the widest side of the box of both clouds, as given; 0 if either is empty
  Array<std::int32_t> query_rows;  ///< row of each remaining query; empty: none was skipped

  // Of the queries in the problem, where the input's own coordinates cannot serve
  Array<float> query_storage;
  Array<double> given_query_storage;
};

/// Refuses queries that have not as many coordinates as the data. @throws Error bad_input.
void check_dimensions(int data, const std::string& data_name, int queries, const std::string& query_name);

/// Refuses a periodic box that has not as many sides as the data have coordinates. @throws Error usage.
void check_sides(const SearchOptions& options, int dimensions, const std::string& data_name);

/// Refuses what can be refused by options and shapes alone. @throws Error usage, bad_input, resources.
void check_request(const PointsView& data, const std::string& data_name, const PointsView& queries,
                   const SearchOptions& options);

/// The widest side of the box of both clouds; 0 if either is empty.
double common_width(const Survey& data, const Survey& queries, int dimensions);

/// The same of clouds that are called `names` in messages. @throws Error bad_input: squared distances may exceed
/// float64.
double check_width(const Survey& data, const Survey& queries, const std::string& names, int dimensions);

/// Checks the options and the queries, and brings the queries to the frame of the data. Without `queries`, it is a
/// self-query. Keeps pointers into them. SearchOptions::data_name is not used. Blocks.
/// @throws Error usage, bad_input, resources.
Prepared prepare_queries(std::shared_ptr<const PreparedData> data, const std::optional<PointsView>& queries,
                         const SearchOptions& options);

/// The same for data that are searched once. Whatever can be refused by options and shapes alone is, before a point is
/// read.
Prepared prepare(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& options);

/// The parameters of an exact search of `query_count` queries that are not in host memory: all of a Problem but the
/// queries. `are_float32`: whether float32 holds their coordinates.
/// @throws Error usage, bad_input (the data's coordinates are 2⁵⁰⁹ and more: squared distances may overflow).
Problem exact_problem(const PreparedData& data, std::int64_t k, std::int64_t query_count, bool are_float32,
                      int threads);

/// The answer to the prepared problem in the rows and ids of the input. A skipped query has k missing neighbours.
Neighbors restore_rows(Neighbors answer, const Prepared& prepared, std::int64_t query_count);

}  // namespace kann::problem
