// kann::search() and Index::search() for a caller that wants the rows while they arrive.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/index.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "problem/prepared_data.hpp"
#include "problem/problem.hpp"

namespace kann::detail {

/// kann::search(); without `queries`, kann::search_self().
/// @param on_rows called while the result comes from a CUDA device, unless the result has less than 256 MiB, points
///        were skipped, or there is a radius or a periodic box. The last values may come without a call. An exception
///        from it ends the search. The times in the report do not include it. May be empty.
SearchResult search(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& options,
                    const problem::OnRows& on_rows);

/// The same for Index::search() and Index::search_self().
SearchResult search(const Index& index, const std::optional<PointsView>& queries, const SearchOptions& options,
                    const problem::OnRows& on_rows);

/// Index::search() for somebody who takes the rows part by part; without `queries` for the data in rows [first, first +
/// count), as Index::search_self(): row i is that of point first + i. The result has no rows then. They come as one
/// part from the CPU, where points were skipped, and with a radius; then, and without `take`, the report has what it
/// says of rows. The options ask neither for the sphere nor for a periodic box. Blocks. @throws as Index::search().
SearchResult search_in_parts(const Index& index, const std::optional<PointsView>& queries, std::int64_t first,
                             std::int64_t count, const SearchOptions& options, const problem::RowParts& parts);

/// What an index knows of its data.
const problem::SurveyedData& data_of(const Index& index);

}  // namespace kann::detail
