// kann::search() and Index::search() as one call each, with queries or without, and for a caller that takes the rows
// part by part.
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
/// @param extent around all data, if `data` are a part of them: a part has the same distances in a periodic box
SearchResult search(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& options,
                    const std::optional<geometry::Box>& extent = {});
SearchResult search(const Index& index, const std::optional<PointsView>& queries, const SearchOptions& options);

/// Index::search() for a caller that takes the rows part by part. Without `queries`, it is Index::search_self() for
/// `count` of the data from number `first` on: row i is that of point first + i. The rows come as one part from the
/// CPU, where points were skipped, and with a radius; only then does the report say something of them. They belong to
/// `parts`: the result has none that may be used. The options ask neither for the sphere nor for a periodic box.
/// Blocks.
/// @throws as Index::search(), and what `parts` throws.
SearchResult search_in_parts(const Index& index, const std::optional<PointsView>& queries, std::int64_t first,
                             std::int64_t count, const SearchOptions& options, const problem::RowParts& parts);

/// What an index knows of its data.
const problem::SurveyedData& data_of(const Index& index);

}  // namespace kann::detail
