#include "cli/report/statistics_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "cli/report/summary.hpp"

namespace kann::cli {
namespace {

constexpr std::array<std::string_view, 9> k_titles = {"rank",   "queries", "mean", "deviation", "rms",
                                                      "median", "p95",     "p99",  "max"};
using Row = std::array<std::string, k_titles.size()>;

/// The number as text; "-" for NaN.
std::string number(double value, int digits) { return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits); }

/// The lines of a table whose columns are as wide as their widest text, and flush right.
std::vector<std::string> table(const DistanceStatistics& statistics, int digits, std::size_t gap) {
  std::vector<Row> rows(1);
  std::ranges::copy(k_titles, rows[0].begin());
  for (const RankStatistics& r : statistics.ranks)
    rows.push_back({std::to_string(r.rank), std::to_string(r.queries), number(r.mean, digits),
                    number(r.deviation, digits), number(r.rms, digits), number(r.median, digits), number(r.p95, digits),
                    number(r.p99, digits), number(r.max, digits)});
  std::vector<std::string> lines(rows.size());
  for (std::size_t column = 0; column < k_titles.size(); ++column) {
    std::size_t width = 0;
    for (const Row& row : rows) width = std::max(width, row[column].size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      lines[i] += fmt::format("{:>{}}", rows[i][column], width + (column > 0 ? gap : 0));
  }
  return lines;
}

/// How many neighbours rows of any length have.
std::vector<std::string> counts_table(const Options& options, const Report& report) {
  const SearchReport& s = *report.search;
  const std::int64_t neighbors = s.within_radius.value_or(0);
  const double mean = static_cast<double>(neighbors) / static_cast<double>(s.query_points);
  const auto width = std::max<std::size_t>(10, std::to_string(neighbors).size());
  return {fmt::format("neighbours within {}: {}", length_text(*options.search.radius, report),
                      quality_text(options, report)),
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
  std::vector<std::string> lines;
  for (const auto& [digits, gap] : {std::pair(6, 2), {5, 2}, {5, 1}, {4, 1}, {3, 1}})
    if (lines = table(statistics, digits, static_cast<std::size_t>(gap)); lines[0].size() <= columns) break;
  lines.insert(lines.begin(), "distances per rank: " + quality);
  constexpr int digits = 6;
  const DensityStatistics& density = statistics.density;
  // With a single neighbour, the density says no more than the distance
  if (statistics.ranks.size() > 1 && !(density.coincident > 0 && std::isnan(density.median)))
    lines.push_back(fmt::format("points per {}: median {}, 5 % below {}, 5 % above {}", unit,
                                number(density.median, digits), number(density.p5, digits),
                                number(density.p95, digits)));
  if (density.coincident > 0)
    lines.push_back(queries_text(density.coincident) + " with all neighbours at the same place");
  if (statistics.empty_rows > 0) lines.push_back(queries_text(statistics.empty_rows) + " without a neighbour");
  return lines;
}

}  // namespace kann::cli
