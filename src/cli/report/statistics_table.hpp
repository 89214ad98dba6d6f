// The statistics of a run as a table for people.
#pragma once

#include <string>
#include <vector>

#include "kann/statistics.hpp"

namespace kann::cli {

/// A header, a line per rank, and the density; none is wider than 80 columns.
std::vector<std::string> statistics_table(const DistanceStatistics& statistics, int dimensions);

}  // namespace kann::cli
