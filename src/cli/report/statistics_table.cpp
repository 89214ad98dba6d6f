#include "cli/report/statistics_table.hpp"

#include <cmath>
#include <fmt/format.h>

namespace kann::cli {
namespace {

/// Six digits, whatever the unit; - where there is no number.
std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

}  // namespace

std::vector<std::string> statistics_table(const DistanceStatistics& statistics, int dimensions) {
  std::vector<std::string> lines{fmt::format("{:>6} {:>10} {:>11} {:>11} {:>11} {:>11} {:>11}", "rank", "queries",
                                             "mean", "median", "p95", "p99", "max")};
  for (const RankStatistics& r : statistics.ranks)
    lines.push_back(fmt::format("{:>6} {:>10} {:>11} {:>11} {:>11} {:>11} {:>11}", r.rank, r.queries, number(r.mean),
                                number(r.median), number(r.p95), number(r.p99), number(r.max)));
  const DensityStatistics& density = statistics.density;
  lines.push_back(fmt::format("points per unit of {}: median {}, 5 % below {}, 5 % above {}",
                              dimensions == 3 ? "volume" : "area", number(density.median), number(density.p5),
                              number(density.p95)));
  if (statistics.empty_rows > 0)
    lines.push_back(fmt::format("{} {} without a neighbour", statistics.empty_rows,
                                statistics.empty_rows == 1 ? "query" : "queries"));
  return lines;
}

}  // namespace kann::cli
