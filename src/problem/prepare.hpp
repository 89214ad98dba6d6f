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

/// The points of a search must be closer together than this along each axis: the squares of wider differences overflow
/// in float64.
inline constexpr double k_max_width = 0x1p510;

/// A Problem and the memory that it points into. Skipped rows are not part of it.
struct Prepared {
  Problem problem;
  std::shared_ptr<const PreparedData> data;
  Survey queries;          ///< survey of all queries that were given
  std::string query_name;  ///< empty in a self-query
  std::int64_t data_skipped = 0, query_skipped = 0;
  double width = 0;                ///< the widest side of the box of both clouds, as given; 0 if either is empty
  Array<std::int32_t> query_rows;  ///< row of each remaining query; empty: none was skipped

  // Coordinates of the queries in the problem, where those of the input cannot be used as they are
  Array<float> query_storage;
  Array<double> given_query_storage;

  /// Whether restore_rows() leaves every row as it is.
  bool has_final_rows() const { return data_skipped == 0 && query_skipped == 0; }
};

/// Refuses queries that have another number of coordinates than the data. @throws Error bad_input.
void check_dimensions(int data, const std::string& data_name, int queries, const std::string& query_name);

/// Refuses a periodic box whose number of sides differs from the number of coordinates of the data. @throws Error
/// usage.
void check_sides(const SearchOptions& options, int dimensions, const std::string& data_name);

/// Refuses requests that are wrong by their options and shapes alone. @throws Error usage, bad_input, resources.
void check_request(const PointsView& data, const std::string& data_name, const PointsView& queries,
                   const SearchOptions& options);

/// The widest side of the box of both clouds; 0 if either is empty.
double common_width(const Survey& data, const Survey& queries, int dimensions);

/// common_width(), checked; messages call the clouds `names`. @throws Error bad_input: squared distances may exceed
/// float64.
double check_width(const Survey& data, const Survey& queries, const std::string& names, int dimensions);

/// Checks the options and the queries, and brings the queries to the frame of the data. Without `queries`, it is a
/// self-query. Keeps pointers into the queries. SearchOptions::data_name is not used. Blocks.
/// @throws Error usage, bad_input, resources.
Prepared prepare_queries(std::shared_ptr<const PreparedData> data, const std::optional<PointsView>& queries,
                         const SearchOptions& options);

/// The self-query of the data points in rows [first, first + count) of the input alone: query i is row first + i. They
/// are valid, or SearchOptions::invalid skips them. Blocks. @throws as prepare_queries().
Prepared prepare_own_rows(std::shared_ptr<const PreparedData> data, std::int64_t first, std::int64_t count,
                          const SearchOptions& options);

/// prepare_queries() for data that are searched only once. Calls check_request() before a point is read.
Prepared prepare(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& options);

/// Refuses queries on a device that no search of `data` accepts by their number or dimensions.
/// @throws Error usage, bad_input.
void check_device_queries(const PointsView& queries, const SurveyedData& data);

/// The parameters of an exact search of `query_count` queries that are not in host memory: a Problem with everything
/// but the points and `unevenness`. @param radius is checked; SearchOptions::radius
/// @throws Error usage, bad_input (the data's coordinates are 2⁵⁰⁹ and more: squared distances may overflow).
Problem exact_problem(const SurveyedData& data, std::int64_t k, std::optional<double> radius, std::int64_t query_count);

/// Translates the answer to the prepared problem to the rows and ids of the input. A skipped query gets k missing
/// neighbours.
Neighbors restore_rows(Neighbors answer, const Prepared& prepared, std::int64_t query_count);

/// The same for rows of any length; a skipped query has an empty row.
NeighborLists restore_lists(NeighborLists answer, const Prepared& prepared, std::int64_t query_count);

}  // namespace kann::problem
