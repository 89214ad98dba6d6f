// What a run prints about its search on stderr: one summary line, and the details of --verbose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// "1000 queries x 8 neighbours among 1000 points on CPU (2 threads): read 0.001 s, …", with the recall of the sample
/// if the answer is approximate. Needs `report.search`.
std::string summary_line(const Options& options, const Report& report);

/// "1 query", "2 queries".
std::string queries_text(std::int64_t count);

/// A length, with its unit if that is known.
std::string length_text(double length, const Report& report);

/// The radius of the search, or the attribute that has one for each query.
std::string radius_text(const Options& options, const Report& report);

/// What densities are per, in ASCII: "m^3", or "unit of volume".
std::string density_unit(const Report& report);

/// Whether the answer is exact, or else its recall in the sample: "exact", "approximate, recall 0.9812 (1024 queries
/// sampled)".
std::string quality_text(const Options& options, const Report& report);

/// The details of --verbose, one per line: how the search was done, and how long its steps took.
std::vector<std::string> detail_lines(const SearchReport& search);

/// A line that says where the time of a search in tiles or pieces went.
std::string tiles_line(const flow::FileSearchReport& tiles);

}  // namespace kann::cli
