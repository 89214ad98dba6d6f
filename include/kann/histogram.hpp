// A picture of the distances of a result.
#pragma once

#include <string>
#include <string_view>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"
#include "kann/statistics.hpp"

namespace kann {

/// An SVG 1.1 picture of 720 × 420: a histogram of the distances from the queries to their nearest neighbours, in 60
/// bars up to p99 or somewhat more, with the median and p95. The number of queries beyond the last bar is written as
/// text. Blocks.
/// @param statistics the distance_statistics() of `neighbors`
/// @param quality the quality of the answer, for the title, such as "approximate"; may be empty
/// @throws Error bad_input: ids or distances do not match the number of rows; std::bad_alloc.
std::string histogram_svg(const Neighbors& neighbors, const DistanceStatistics& statistics,
                          std::string_view quality = {});

/// The same picture from rows that come in blocks; they are read once. @throws std::bad_alloc, and what `rows` throws.
std::string histogram_svg(const RowBlocks& rows, const DistanceStatistics& statistics, std::string_view quality = {});

}  // namespace kann
