#include "cli/report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/host_memory.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {
namespace {

bool is_cpu(const SearchReport& s) { return s.device.kind == DeviceKind::cpu; }

/// Says how many neighbours are within the radius, and how many rows k may have cut off, unless there are no more
/// points. Empty without a radius.
std::string within_text(const Options& options, const Report& report) {
  const SearchReport& s = *report.search;
  if (!s.within_radius || options.all_neighbors) return "";
  const std::int64_t full = options.search.k < s.data_points - s.data_skipped ? s.full_rows.value_or(0) : 0;
  return fmt::format("; {} within {}{}", base::counted(*s.within_radius, "neighbour"), radius_text(options, report),
                     full == 0 || options.match ? ""
                                                : fmt::format("; {} may have more than {}, which -k all finds",
                                                              queries_text(full), options.search.k));
}

std::string method_text(const SearchReport& s) {
  const std::string name(name_of(s.method));
  return s.method == Method::exact ? name : fmt::format("{}, {} shifts, window {}", name, s.shifts, s.window);
}

std::string steps_text(const SearchReport& s) {
  const StepSeconds& t = s.steps;
  const auto on_cuda = [&](std::string_view step, double seconds) {
    return is_cpu(s) ? "" : fmt::format(", {} {}", step, measured_text(seconds));
  };
  return fmt::format("steps: prepare {}{}, encode {}, sort {}, rank {}, boxes {}, select {}, rows {}{}{}",
                     measured_text(t.prepare), on_cuda("upload", t.upload), measured_text(t.encode),
                     measured_text(t.sort), measured_text(t.rank), measured_text(t.boxes), measured_text(t.select),
                     measured_text(t.rows), on_cuda("download", t.download),
                     s.sample.queries > 0 ? ", sample " + measured_text(t.sample) : "");
}

/// E.g. " in 9 tiles", " by 3 ranks in 9 tiles", " in 2 pieces" (of the queries).
std::string tiles_text(const flow::FileSearchReport& tiles) {
  const std::string ranks = tiles.ranks > 1 ? fmt::format(" by {} ranks", tiles.ranks) : "";
  return ranks + fmt::format(" in {}", tiles.pieces > 0 ? base::counted(tiles.pieces, "piece")
                                                        : base::counted(tiles.tiles, "tile"));
}

/// Says how long writing took, and how much of it was spent on the disk, if that is long enough to be noticed.
std::string write_text(const Report& report) {
  const double write = report.write_seconds.value_or(0), disk = report.sync_seconds.value_or(0);
  const bool is_felt = disk >= 0.1 && disk >= write / 4;
  return measured_text(write) + (is_felt ? fmt::format(" ({} of it the disk)", measured_text(disk)) : "");
}

/// E.g. "3 clusters within 0.5 (MIN 10), the largest of 300 points, and 12 noise points".
std::string clusters_text(const Options& options, const Report& report) {
  const ClusterCounts counts = report.clusters.value_or(ClusterCounts());
  return fmt::format("{} within {} (MIN {}), the largest of {}, and {}", base::counted(counts.clusters, "cluster"),
                     length_text(options.cluster->radius, report), options.cluster->min_points,
                     base::counted(counts.largest, "point"), base::counted(counts.noise, "noise point"));
}

/// How many pairs a join has, and how many queries none. Empty without a join.
std::string pairs_text(const Report& report) {
  if (!report.pairs) return "";
  const auto& [pairs, queries] = *report.pairs;
  const std::int64_t alone = report.query->points - report.query->left_out - queries;
  return fmt::format("; {} of {}{}", base::counted(pairs, "pair"), queries_text(queries),
                     alone == 0 ? "" : fmt::format(", {} without one", queries_text(alone)));
}

/// "; 12 outliers (mean distance > 0.31)", or nothing.
std::string outliers_text(const Report& report) {
  if (!report.columns || !report.columns->outliers) return "";
  const auto& o = *report.columns->outliers;
  const std::string limit = std::isnan(o.threshold) ? "no query has neighbours at a finite distance"
                                                    : fmt::format("mean distance > {:.4g}", o.threshold);
  return fmt::format("; {} outlier{} ({})", o.count, o.count == 1 ? "" : "s", limit);
}

}  // namespace

std::string queries_text(std::int64_t count) { return base::counted(count, "query"); }

std::string density_unit(const Report& report) {
  const int dimensions = report.query->dimensions;
  if (report.unit.empty()) return dimensions == 3 ? "unit of volume" : "unit of area";
  return fmt::format(fmt::runtime(report.unit.find(' ') != std::string::npos ? "({})^{}" : "{}^{}"), report.unit,
                     dimensions);
}

std::string quality_text(const Options& options, const Report& report) {
  const SearchReport& s = *report.search;
  std::string space;  // what is measured, and among which points
  if (!options.search.periodic.empty()) space = fmt::format(", periodic {}", fmt::join(options.search.periodic, ","));
  if (options.search.images == Images::all) space += " with all images";
  if (options.search.sky) space = fmt::format(", on the sky in {}", name_of(*options.search.sky));
  if (options.group) space += fmt::format(", within the same '{}'", *options.group);
  if (options.other_group) space += fmt::format(", in another '{}'", *options.other_group);
  if (const auto* const name = std::get_if<std::string>(&options.min_radius))
    space += fmt::format(", at least '{}' away", *name);
  if (const auto* const least = std::get_if<double>(&options.min_radius))
    space += fmt::format(", at least {} away", length_text(*least, report));
  if (!options.search.sky && !report.unit.empty()) space += ", in " + report.unit;
  if (s.method == Method::exact) return "exact" + space;
  if (!s.sample.recall) return "approximate";
  return fmt::format("approximate, recall {:.4f} ({} sampled)", *s.sample.recall, queries_text(s.sample.queries));
}

/// The columns of the coordinates, where they could have been others.
std::string coordinates_text(const Report& report) {
  const std::vector<std::string>& columns = report.data ? report.data->columns : std::vector<std::string>();
  const bool are_plain =
      columns.size() == 3 && std::ranges::all_of(columns, [](const std::string& name) { return name.size() == 1; });
  if (columns.empty() || are_plain || report.search->data_points == 0) return "";
  return fmt::format(", {}-D ({}),", columns.size(), fmt::join(columns, ", "));
}

std::string length_text(double length, const Report& report) {
  return fmt::format("{}{}{}", length, report.unit.empty() ? "" : " ", report.unit);
}

std::string radius_text(const Options& options, const Report& report) {
  return options.radius_name ? fmt::format("'{}'", *options.radius_name) : length_text(*options.search.radius, report);
}

std::string summary_line(const Options& options, const Report& report) {
  const SearchReport& s = *report.search;
  const std::string skipped = s.data_skipped + s.query_skipped == 0 ? ""
                              : options.cluster
                                  ? fmt::format(" ({} skipped as invalid)", base::counted(s.data_skipped, "point"))
                                  : fmt::format(" ({} and {} skipped as invalid)",
                                                base::counted(s.data_skipped, "point"), queries_text(s.query_skipped));
  const std::string found =
      options.cluster ? clusters_text(options, report)
      : options.all_neighbors
          ? fmt::format("{}, {} within {}", queries_text(s.query_points),
                        base::counted(s.within_radius.value_or(0), "neighbour"), radius_text(options, report))
          : fmt::format("{} x {}", queries_text(s.query_points), base::counted(options.search.k, "neighbour"));
  return fmt::format("{} among {}{}{} on {}{}: read {}, search {}, write {}; {}{}{}{}{}", found,
                     base::counted(s.data_points, "point"), skipped, coordinates_text(report), device_text(s.device),
                     report.files ? tiles_text(*report.files) : "", measured_text(report.read_seconds.value_or(0)),
                     measured_text(s.total_seconds), write_text(report), quality_text(options, report),
                     within_text(options, report), pairs_text(report), outliers_text(report),
                     report.kept ? fmt::format("; {} kept", *report.kept) : "");
}

std::vector<std::string> detail_lines(const SearchReport& s) {
  std::vector<std::string> lines;
  if (!s.device_reason.empty())
    lines.push_back(
        fmt::format("--device auto took {}: {}", is_cpu(s) ? "the CPU" : "the CUDA device", s.device_reason));
  lines.push_back("method: " + method_text(s));
  if (s.data_skipped + s.query_skipped > 0)
    lines.push_back(base::counted(s.data_skipped, "point") + " and " + queries_text(s.query_skipped) + " skipped");
  lines.push_back(steps_text(s));
  if (!is_cpu(s))
    lines.push_back(fmt::format("CUDA took {} to start, of which the search waited {}",
                                measured_text(s.start_up_seconds), measured_text(s.steps.start_up)));
  return lines;
}

std::string tiles_line(const flow::FileSearchReport& tiles) {
  const std::string parts = tiles.pieces > 0 ? base::counted(tiles.pieces, "piece")
                                             : fmt::format("{}, {}", base::counted(tiles.tiles, "tile"),
                                                           base::counted(tiles.visits, "visit"));
  std::vector<std::pair<std::string_view, double>> stages = {{"survey", tiles.survey_seconds},
                                                             {"order", tiles.order_seconds}};
  if (tiles.has_parts())
    stages.insert(
        stages.end(),
        {{"points", tiles.points_seconds}, {"neighbours", tiles.neighbors_seconds()}, {"rows", tiles.rows_seconds()}});
  else
    stages.emplace_back("search", tiles.search_seconds);
  std::string times;
  const auto longest = std::ranges::max_element(stages, {}, [](const auto& stage) { return stage.second; });
  for (const auto& [name, seconds] : stages)
    times += fmt::format("{}{} {}{}", times.empty() ? "" : ", ", name, measured_text(seconds),
                         name == longest->first ? " (the most)" : "");
  return fmt::format("in {}: {}; temporary files {}; memory {} of {}", parts, times,
                     base::bytes_text(static_cast<double>(tiles.temporary_bytes)),
                     base::bytes_text(tiles.charged_bytes), base::bytes_text(tiles.budget_bytes));
}

}  // namespace kann::cli
