// kann::search() and Index::search() whether or not there are queries, and for a caller that takes the rows part by
// part.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/index.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "problem/prepared_data.hpp"
#include "problem/problem.hpp"

namespace kann::detail {

/// kann::search() or, without `queries`, kann::search_self(); and the same of an index.
SearchResult search(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& options);
SearchResult search(const Index& index, const std::optional<PointsView>& queries, const SearchOptions& options);

/// Index::search() for somebody who takes the rows part by part; without `queries` for the data in rows [first, first +
/// count), as Index::search_self(): row i is that of point first + i. The result has no rows then. They come as one
/// part from the CPU, where points were skipped, and with a radius; then, and without `take`, the report has what it
/// says of rows. The options ask neither for the sphere nor for a periodic box. Blocks. @throws as Index::search().
SearchResult search_in_parts(const Index& index, const std::optional<PointsView>& queries, std::int64_t first,
                             std::int64_t count, const SearchOptions& options, const problem::RowParts& parts);

/// What an index knows of its data.
const problem::SurveyedData& data_of(const Index& index);

}  // namespace kann::detail
