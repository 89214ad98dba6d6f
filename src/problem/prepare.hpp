// From clouds as read to a Problem: checks, the common origin, the scale, the grid.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "problem/problem.hpp"

namespace kann::problem {

/// A Problem and the memory behind it. Rows that were skipped are not in the problem; the maps lead back to the input.
struct Prepared {
  Problem problem;
  std::int64_t data_skipped = 0, query_skipped = 0;
  double rounding = 0;             ///< by how much float32 may have moved a coordinate, in units of the input
  Array<std::int32_t> data_rows;   ///< row of each remaining data point; empty: none was skipped
  Array<std::int32_t> query_rows;  ///< the same for queries

  Array<float> data_storage, query_storage;  ///< behind problem.data and .queries, where they are not the input's own
};

/// Checks the options and both clouds and brings them to float32 (design: origin, box, one scale). `queries` is null
/// for a self-query. Keeps pointers into `data` and `queries`, which must outlive the result.
/// @throws Error usage, bad_input, resources.
Prepared prepare(const Points& data, const Points* queries, const SearchOptions& options);

/// Puts the answer to the prepared problem back into the rows and ids of the input; a skipped query gets k missing
/// neighbours.
Neighbors restore_rows(Neighbors answer, const Prepared& prepared, std::int64_t query_count);

}  // namespace kann::problem
