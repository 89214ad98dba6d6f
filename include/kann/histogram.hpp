// A picture of the distances of a result.
#pragma once

#include <string>
#include <string_view>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"
#include "kann/statistics.hpp"

namespace kann {

/// An SVG 1.1 picture of 720 × 420: how many queries have their nearest neighbour how far away, in 60 bars up to p99 or
/// somewhat more, with the median and p95. How many are farther is said in words. Blocks.
/// @param statistics those of `neighbors`
/// @param quality of the answer, for the title, such as "approximate"; may be empty
/// @throws Error bad_input: ids or distances do not match the number of rows; std::bad_alloc.
std::string histogram_svg(const Neighbors& neighbors, const DistanceStatistics& statistics,
                          std::string_view quality = {});

/// The same of rows that come in blocks, once. Of several processes, each gives its own, with the statistics of all,
/// and all get the picture. @throws std::bad_alloc, and what `rows` and `sum` throw.
std::string histogram_svg(const RowBlocks& rows, const DistanceStatistics& statistics,
                          const SumOverProcesses& sum = nullptr, std::string_view quality = {});

}  // namespace kann
