#include "cli/report/statistics_table.hpp"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "cli/report/facts_of.hpp"
#include "cli/report/summary.hpp"

namespace kann::cli {
namespace {

/// The number as text; "-" for NaN.
std::string number(double value, int digits) { return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits); }

/// How many neighbours rows of any length have.
std::vector<std::string> counts_table(const Options& options, const Report& report) {
  const SearchReport& s = *report.search;
  const std::int64_t neighbors = s.within_radius.value_or(0);
  const double mean = static_cast<double>(neighbors) / static_cast<double>(s.query_points);
  const auto width = std::max<std::size_t>(10, std::to_string(neighbors).size());
  return {fmt::format("neighbours within {}: {}", radius_text(options, report), quality_text(options, report)),
          fmt::format("{:>10}  {:>{}}  mean per query", "queries", "neighbours", width),
          fmt::format("{:>10}  {:>{}}  {:>14}", s.query_points, neighbors, width, number(mean, 6))};
}

}  // namespace

std::vector<std::string> statistics_table(const Options& options, const Report& report, std::size_t columns) {
  if (report.statistics)
    return statistics_table(*report.statistics, density_unit(report), quality_text(options, report), columns);
  if (options.stats) return counts_table(options, report);
  return {};
}

std::vector<std::string> statistics_table(const DistanceStatistics& statistics, const std::string& unit,
                                          const std::string& quality, std::size_t columns) {
  const std::vector<Facts> ranks = rank_facts(statistics);
  std::vector<std::string> all;
  for (const auto& [digits, gap] : {std::pair(6, 2), {5, 2}, {5, 1}, {4, 1}, {3, 1}})
    if (all = lines(cells(ranks, digits), 0, static_cast<std::size_t>(gap)); all[0].size() <= columns) break;
  all.insert(all.begin(), "distances per rank: " + quality);
  constexpr int digits = 6;
  const DensityStatistics& density = statistics.density;
  // With a single neighbour, the density says no more than the distance
  if (statistics.ranks.size() > 1 && !(density.coincident > 0 && std::isnan(density.median)))
    all.push_back(fmt::format("points per {}: median {}, 5 % below {}, 5 % above {}", unit,
                              number(density.median, digits), number(density.p5, digits), number(density.p95, digits)));
  if (density.coincident > 0)
    all.push_back(queries_text(density.coincident) + " with no neighbour but at their own place");
  if (statistics.empty_rows > 0) all.push_back(queries_text(statistics.empty_rows) + " without a neighbour");
  return all;
}

}  // namespace kann::cli
