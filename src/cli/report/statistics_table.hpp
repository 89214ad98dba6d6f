// The statistics of a run as a table for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kann/statistics.hpp"

namespace kann::cli {

/// A title, which ends with the quality of the answer, a header, a line per rank, and the density; none is wider than
/// 80 columns, also as a message.
std::vector<std::string> statistics_table(const DistanceStatistics& statistics, int dimensions,
                                          const std::string& quality, std::size_t columns);

}  // namespace kann::cli
