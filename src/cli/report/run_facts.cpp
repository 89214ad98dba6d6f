// What is known of a run.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/counted.hpp"
#include "base/host_memory.hpp"
#include "base/seconds_since.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/report/summary.hpp"
#include "cli/report/verdict.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {
namespace {

constexpr int k_version = 1;

void append(Facts& facts, Facts more) { std::ranges::move(more, std::back_inserter(facts)); }

/// The facts about a cloud, or the path alone if it could not be read.
Value cloud_facts(const std::string& path, const std::optional<CloudFacts>& cloud, const Condition& where,
                  const std::optional<std::int64_t>& skipped) {
  if (!cloud && path.empty()) return {};
  Facts facts = {{"path", cloud ? cloud->path : path},
                 {"points", cloud ? std::optional(cloud->points) : std::nullopt},
                 {"dimensions", cloud ? std::optional(cloud->dimensions) : std::nullopt},
                 {"skipped", skipped}};
  if (where)
    facts.push_back(
        {"where", Facts{{"condition", where.text},
                        {"points", skipped ? std::optional(cloud->points - cloud->left_out) : std::nullopt}}});
  if (cloud && !cloud->columns.empty()) facts.push_back({"columns", cloud->columns});
  if (cloud && cloud->hash) facts.push_back({"hash", fmt::format("{:016x}", *cloud->hash)});
  return facts;
}

std::string cloud_text(const std::string& path, const std::optional<CloudFacts>& cloud, const Condition& where) {
  if (!cloud) return path;
  const std::string columns = cloud->columns.empty() ? "" : fmt::format(" ({})", fmt::join(cloud->columns, ", "));
  const std::string chosen =
      where ? fmt::format(", of which {} meet {}", cloud->points - cloud->left_out, where.text) : "";
  return fmt::format("{}: {}, {}-D{}{}", path, base::counted(cloud->points, "point"), cloud->dimensions, columns,
                     chosen);
}

Facts grid_facts(double step, const std::optional<QueryGrid>& grid) {
  if (!grid) return {{"step", step}, {"shape"}, {"origin"}};
  const auto shape = grid->shape();
  const auto origin = grid->origin();
  return {{"step", step},
          {"shape", std::vector<std::int64_t>(shape.begin(), shape.end())},
          {"origin", std::vector<double>(origin.begin(), origin.end())}};
}

Facts cluster_facts(const ClusterOptions& options, const std::optional<ClusterCounts>& counts) {
  Facts facts = {{"radius", options.radius}, {"min_points", options.min_points}};
  if (counts) append(facts, {{"count", counts->clusters}, {"largest", counts->largest}, {"noise", counts->noise}});
  return facts;
}

/// The facts that the report and the meta of a result share.
Facts problem_facts(const Options& options, const Report& report) {
  const auto& s = report.search;
  const bool is_approximate = s && options.search.method != Method::exact;
  const auto skipped = [&](auto member) { return s ? std::optional((*s).*member) : std::nullopt; };
  const bool is_batch = report.batch && !report.job;  // only the jobs of a batch have queries
  const std::string queries = is_batch ? "" : options.query.value_or(options.data);
  const Condition& of_queries = options.self_query() ? options.where : options.query_where;
  Facts facts = {
      {"data", cloud_facts(options.data, report.data, options.where, skipped(&SearchReport::data_skipped)), "data",
       cloud_text(options.data, report.data, options.where)},
      {"query", cloud_facts(queries, report.query, of_queries, skipped(&SearchReport::query_skipped)), "queries",
       options.self_query() ? "the data themselves"
                            : cloud_text(options.query.value_or("the cells of a grid"), report.query, of_queries)},
      {"self_query", options.self_query() && !is_batch}};
  if (options.grid) facts.push_back({"grid", grid_facts(*options.grid, report.grid)});
  facts.push_back({"include_self", options.search.include_self});
  if (options.cluster)
    append(facts, {{"k"}, {"clusters", cluster_facts(*options.cluster, report.clusters)}});
  else if (options.all_neighbors)
    append(facts, {{"k", "all"}, {"pairs", options.half_pairs ? "half" : "both"}});
  else
    facts.push_back({"k", options.search.k});
  if (options.match) facts.push_back({"match", options.is_one_to_one() ? "one-to-one" : "mutual"});
  append(facts, {{"method", name_of(options.search.method)},
                 {"shifts", is_approximate ? std::optional(s->shifts) : std::nullopt},
                 {"window", is_approximate ? std::optional(s->window) : std::nullopt}});
  if (is_approximate) facts.push_back({"sample", Facts{{"queries", s->sample.queries}, {"recall", s->sample.recall}}});
  return facts;
}

std::string_view images_name(const Options& options) {
  return options.search.images == Images::all ? "all" : "nearest";
}

/// Where distances are measured, and among which points.
void append_space(Facts& facts, const Options& options) {
  if (options.search.sky) facts.push_back({"sky", name_of(*options.search.sky)});
  if (options.group) facts.push_back({"group", *options.group});
  if (options.other_group) facts.push_back({"other_group", *options.other_group});
  if (options.has_limits()) {
    const auto least =
        std::visit([]<class T>(const T& given) { return std::same_as<T, std::monostate> ? Value() : Value(given); },
                   options.min_radius);
    facts.push_back({"limits", Facts{{"radius", options.radius_name}, {"min_radius", least}}});
  }
}

Facts timing_facts(const Report& report) {
  Facts facts = time_facts(report);
  for (Fact& time : facts) time.label = {};  // people find them in a table of their own
  if (const auto& s = report.search) {
    const StepSeconds& t = s->steps;
    Facts steps = {{"prepare", t.prepare}, {"start_up", t.start_up}, {"upload", t.upload}, {"encode", t.encode},
                   {"sort", t.sort},       {"rank", t.rank},         {"boxes", t.boxes},   {"select", t.select},
                   {"rows", t.rows},       {"download", t.download}, {"sample", t.sample}};
    double other = s->total_seconds;
    for (const Fact& step : steps) other -= std::get<double>(step.value);
    steps.push_back({"other", std::max(0.0, other)});  // rounding may make it negative
    append(facts, {{"steps", std::move(steps)},
                   {"start_up", Facts{{"took", s->start_up_seconds}, {"waited", s->steps.start_up}}}});
  } else {
    append(facts, {{"steps"}, {"start_up"}});
  }
  append(facts, {{"read_each", Facts{{"data", report.read_data_seconds}, {"query", report.read_query_seconds}}},
                 {"sync", report.sync_seconds}});
  return facts;
}

Facts tile_facts(const flow::FileSearchReport& tiles) {
  Facts timing = {{"survey", tiles.survey_seconds}, {"order", tiles.order_seconds}, {"search", tiles.search_seconds}};
  if (tiles.has_parts())
    append(
        timing,
        {{"points", tiles.points_seconds}, {"neighbors", tiles.neighbors_seconds()}, {"rows", tiles.rows_seconds()}});
  Facts facts = {{"count", tiles.tiles}};
  if (tiles.pieces > 0) facts.push_back({"pieces", tiles.pieces});
  append(facts, {{"ranks", tiles.ranks},
                 {"visits", tiles.visits},
                 {"temporary_bytes", tiles.temporary_bytes},
                 {"charged_bytes", static_cast<std::int64_t>(tiles.charged_bytes)},
                 {"budget_bytes", static_cast<std::int64_t>(tiles.budget_bytes)},
                 {"timing_s", std::move(timing)}});
  return facts;
}

Facts statistics_facts(const DistanceStatistics& statistics) {
  const DensityStatistics& density = statistics.density;
  Facts facts = {{"ranks", rank_facts(statistics)}, {"empty_rows", statistics.empty_rows}};
  if (statistics.ranks.size() > 1)
    facts.push_back({"density", Facts{{"p5", density.p5},
                                      {"median", density.median},
                                      {"p95", density.p95},
                                      {"coincident", density.coincident}}});
  return facts;
}

/// What was made of the rows, as far as it was asked for.
void append_products(Facts& facts, const Options& options, const Report& report) {
  if (report.pairs) {
    const Join join = options.join.value_or(Join::left);
    facts.push_back({"join", Facts{{"queries", join == Join::inner  ? "inner"
                                               : join == Join::left ? "left"
                                                                    : "anti"},
                                   {"pairs", report.pairs->pairs},
                                   {"queries_with_pair", report.pairs->queries}}});
  }
  if (report.columns && !report.columns->transferred.empty()) {
    const ColumnFacts& c = *report.columns;
    std::vector<Facts> attributes;
    for (const auto& attribute : c.transferred)
      attributes.push_back({{"name", attribute.name}, {"by", word_of(attribute.by)}});
    facts.push_back({"transfer", Facts{{"attributes", std::move(attributes)},
                                       {"without_neighbors", c.without_neighbors},
                                       {"singular", c.singular},
                                       {"by_distance", c.by_distance},
                                       {"nan_values", c.nan_values}}});
  }
  if (report.columns && report.columns->outliers) {
    const auto& outliers = *report.columns->outliers;
    facts.push_back({"outliers", Facts{{"k", outliers.options.k},
                                       {"sigma", outliers.options.sigma},
                                       {"mean", outliers.mean},
                                       {"deviation", outliers.deviation},
                                       {"threshold", outliers.threshold},
                                       {"count", outliers.count}}});
  }
  if (report.kept) facts.push_back({"keep", Facts{{"condition", options.keep.text}, {"points", *report.kept}}});
  if (report.columns && !options.features.empty()) {
    const FeatureFacts shapes = report.columns->features.value_or(FeatureFacts());
    facts.push_back({"features", Facts{{"columns", feature_column_names(options)},
                                       {"too_few", shapes.too_few},
                                       {"undetermined", shapes.undetermined}}});
  }
  if (report.picture_written && report.picture)
    facts.push_back({"picture", Facts{{"path", *options.picture},
                                      {"drawn", report.picture->drawn},
                                      {"outside", report.picture->outside},
                                      {"left_out", report.picture->left_out}}});
}

/// Numbers that are not finite become null.
Facts accuracy_facts(const Accuracy& a) {
  return {{"queries", a.judged},           {"recall", a.recall},
          {"identical_rows", a.identical}, {"distance_ratio", a.distance_ratio},
          {"all_correct", a.all_correct},  {"faulty_rows", a.faulty}};
}

/// What was measured, and what was asked to hold.
void append_checks(Facts& facts, const Options& options, const Report& report) {
  if (report.accuracy) facts.push_back({"verify", accuracy_facts(*report.accuracy)});
  if (report.comparison) {
    Facts compare = {{"path", options.compare.value_or("")},
                     {"k", report.comparison->k},
                     {"nearer_rows", report.comparison->accuracy.nearer}};
    append(compare, accuracy_facts(report.comparison->accuracy));
    facts.push_back({"compare", std::move(compare)});
  }
  std::vector<Facts> checks;
  for (const Check& check : checks_of(options, report))
    checks.push_back({{"name", check.name, "check"},
                      {"required", check.required, "required"},
                      {"found", check.found, "found"},
                      {"judged", check.judged, "judged"},
                      {"passed", check.passed}});
  facts.push_back({"checks", std::move(checks)});
}

}  // namespace

std::vector<Facts> rank_facts(const DistanceStatistics& statistics) {
  std::vector<Facts> ranks;
  for (const RankStatistics& r : statistics.ranks)
    ranks.push_back({{"rank", r.rank, "rank"},
                     {"queries", r.queries, "queries"},
                     {"mean", r.mean, "mean"},
                     {"deviation", r.deviation, "deviation"},
                     {"rms", r.rms, "rms"},
                     {"median", r.median, "median"},
                     {"p95", r.p95, "p95"},
                     {"p99", r.p99, "p99"},
                     {"max", r.max, "max"}});
  return ranks;
}

Facts time_facts(const Report& report) {
  const auto time = [](std::string_view part, std::optional<double> seconds) {
    return Fact{part, seconds, seconds ? part : "", seconds ? measured_text(*seconds) : ""};
  };
  Facts facts = {time("read", report.read_seconds),
                 time("search", report.search ? std::optional(report.search->total_seconds) : std::nullopt),
                 time("write", report.write_seconds)};
  if (report.column_seconds) facts.push_back(time("answer", report.column_seconds));
  if (report.draw_seconds) facts.push_back(time("draw", report.draw_seconds));
  if (report.accuracy) facts.push_back(time("verify", report.accuracy->seconds));
  if (report.comparison) facts.push_back(time("compare", report.comparison->accuracy.seconds));
  const double total = base::seconds_since(report.start);
  double other = total;
  for (const Fact& fact : facts)
    if (const double* const seconds = std::get_if<double>(&fact.value)) other -= *seconds;
  facts.push_back(time("other", std::max(0.0, other)));  // rounding may make it negative
  facts.push_back(time("total", total));
  return facts;
}

std::string_view word_of(TransferMethod method) {
  switch (method) {
    case TransferMethod::nearest:
      return "nearest";
    case TransferMethod::mean:
      return "mean";
    case TransferMethod::idw:
      return "idw";
    case TransferMethod::vote:
      return "vote";
    case TransferMethod::rbf:
      return "rbf";
  }
  return "";
}

std::string device_text(const DeviceInfo& device) {
  if (device.kind != DeviceKind::cpu) return device.name;
  return fmt::format("{} ({})", device.name, base::counted(device.threads, "thread"));
}

Facts device_facts(const DeviceInfo& device) {
  if (device.kind == DeviceKind::cpu) return {{"name", device.name}, {"kind", "cpu"}, {"threads", device.threads}};
  return {{"name", device.name}, {"kind", "cuda"}, {"memory_bytes", device.memory_bytes}};
}

Facts failure_facts(const Failure& failure) {
  return {{"kind", failure.kind}, {"message", failure.message}, {"exit_code", failure.exit_code}};
}

Facts facts_of_run(const Options& options, const Report& report) {
  const auto& s = report.search;
  Facts facts = {{"version", k_version}, {"kann", Facts{{"version", version()}, {"commit", build_commit()}}}};
  if (report.job) facts.push_back({"job", *report.job});
  if (report.job || report.is_skipped) facts.push_back({"skipped", report.is_skipped});
  append(facts, problem_facts(options, report));
  append(facts, {{"radius", options.search.radius}, {"unit", report.unit.empty() ? Value() : Value(report.unit)}});
  if (options.has_radius())
    append(facts,
           {{"within_radius", s ? s->within_radius : std::nullopt}, {"full_rows", s ? s->full_rows : std::nullopt}});
  facts.push_back({"periodic", options.search.periodic.empty() ? Value() : Value(options.search.periodic)});
  if (!options.search.periodic.empty()) facts.push_back({"images", images_name(options)});
  append_space(facts, options);
  const Value device = s ? Value(device_facts(s->device)) : Value();
  const Value output = report.output_written || report.is_skipped ? Value(Facts{{"path", options.output}}) : Value();
  append(facts, {{"invalid", options.search.invalid == InvalidPoints::skip ? "skip" : "error"},
                 {"device", device},
                 {"timing_s", timing_facts(report)},
                 {"memory_peak_bytes",
                  Facts{{"host", base::peak_host_memory()}, {"device", s ? s->device_peak_bytes : std::int64_t{0}}}},
                 {"output", output}});
  if (report.files) facts.push_back({"tiles", tile_facts(*report.files)});
  if (report.statistics) facts.push_back({"statistics", statistics_facts(*report.statistics)});
  append_products(facts, options, report);
  append_checks(facts, options, report);
  facts.push_back({"warnings", report.warnings});
  if (const auto& batch = report.batch)
    facts.push_back({"batch", Facts{{"done", batch->counts.done},
                                    {"skipped", batch->counts.skipped},
                                    {"failed", batch->counts.failed},
                                    {"left", batch->counts.left},
                                    {"ended_by", batch->ended_by.empty() ? Value() : Value(batch->ended_by)}}});
  if (report.failure) facts.push_back({"error", failure_facts(*report.failure)});
  return facts;
}

std::string report_json(const Options& options, const Report& report) {
  return json(facts_of_run(options, report), !options.is_batch() && !options.is_batch_job);
}

std::string result_meta_json(const Options& options, const Report& report) {
  Facts facts = {{"version", k_version}, {"kann", Facts{{"version", version()}}}};
  append(facts, problem_facts(options, report));
  if (options.search.radius) facts.push_back({"radius", *options.search.radius});
  if (!options.search.periodic.empty())
    append(facts, {{"periodic", options.search.periodic}, {"images", images_name(options)}});
  append_space(facts, options);
  if (report.first_row) facts.push_back({"first_row", *report.first_row});
  if (!options.reading.empty()) facts.push_back({"reading", options.reading});
  std::string text = json(facts, false);
  text.pop_back();  // the newline
  return text;
}

}  // namespace kann::cli
