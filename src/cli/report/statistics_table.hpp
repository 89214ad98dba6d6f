// The statistics of a run as a table for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kann/statistics.hpp"

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// The lines of the table, or, of all neighbours within a radius, how many there are. None if nothing was counted.
std::vector<std::string> statistics_table(const Options& options, const Report& report, std::size_t columns);

/// The lines of the table: a title that ends with the quality of the answer, a header, a line per rank, and the
/// density per `unit`. No line is wider than 80 columns, even with the prefix of messages.
std::vector<std::string> statistics_table(const DistanceStatistics& statistics, const std::string& unit,
                                          const std::string& quality, std::size_t columns);

}  // namespace kann::cli
