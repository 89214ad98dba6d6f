// From clouds as they were read to a Problem: checks, the common frame, the grid.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "problem/problem.hpp"

namespace kann::problem {

/// A Problem and the memory that it points into. Skipped rows are not part of it.
struct Prepared {
  Problem problem;
  std::int64_t data_skipped = 0, query_skipped = 0;
  double width = 0;                ///< the widest side of the box of both clouds, as given; 0 if either is empty
  Array<std::int32_t> data_rows;   ///< row of each remaining data point; empty: none was skipped
  Array<std::int32_t> query_rows;  ///< the same for queries

  // Of the coordinates in the problem, where the input's own cannot serve
  Array<float> data_storage, query_storage;
  Array<double> given_data_storage, given_query_storage;
};

/// Checks the options and both clouds, and brings the clouds to the frame and the grid of the data.
/// `queries` is null for a self-query. Keeps pointers into `data` and `queries`, which must outlive the result.
/// @throws Error usage, bad_input, resources.
Prepared prepare(const Points& data, const Points* queries, const SearchOptions& options);

/// The answer to the prepared problem in the rows and ids of the input. A skipped query has k missing neighbours.
Neighbors restore_rows(Neighbors answer, const Prepared& prepared, std::int64_t query_count);

}  // namespace kann::problem
