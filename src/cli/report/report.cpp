#include "cli/report/report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "cli/json/json_writer.hpp"
#include "cli/report/columns_report.hpp"
#include "cli/report/device_report.hpp"
#include "cli/report/grid_report.hpp"
#include "cli/report/run_times.hpp"

namespace kann::cli {
namespace {

constexpr int k_version = 1;

/// Writes an object whose members `write_members` writes.
void object(JsonWriter& json, std::string_view key, const std::function<void()>& write_members) {
  json.key(key);
  json.begin_object();
  write_members();
  json.end_object();
}

template <class T>
void values(JsonWriter& json, std::string_view key, const std::vector<T>& all) {
  json.key(key);
  json.begin_array();
  for (const T& value : all) json.value(value);
  json.end_array();
}

/// Writes the facts about a cloud, or the path alone if it could not be read.
void append_cloud(JsonWriter& json, std::string_view key, const std::string& path,
                  const std::optional<CloudFacts>& cloud, const std::optional<std::int64_t>& skipped) {
  if (!cloud && path.empty()) return json.null_member(key);
  object(json, key, [&] {
    json.member("path", cloud ? cloud->path : path);
    json.member("points", cloud ? std::optional(cloud->points) : std::nullopt);
    json.member("dimensions", cloud ? std::optional(cloud->dimensions) : std::nullopt);
    json.member("skipped", skipped);
    if (cloud && !cloud->columns.empty()) values(json, "columns", cloud->columns);
    if (cloud && cloud->hash) json.member("hash", fmt::format("{:016x}", *cloud->hash));
  });
}

/// Writes the keys that report_json() and result_meta_json() share.
void write_problem(JsonWriter& json, const Options& options, const Report& report) {
  const auto& s = report.search;
  const bool is_approximate = s && options.search.method != Method::exact;
  const auto skipped = [&](auto member) { return s ? std::optional((*s).*member) : std::nullopt; };
  append_cloud(json, "data", options.data, report.data, skipped(&SearchReport::data_skipped));
  const bool is_batch = report.batch && !report.job;  // only the jobs of a batch have queries
  append_cloud(json, "query", is_batch ? "" : options.query.value_or(options.data), report.query,
               skipped(&SearchReport::query_skipped));
  json.member("self_query", options.self_query() && !is_batch);
  if (options.grid) write_grid(json, *options.grid, report.grid);
  json.member("include_self", options.search.include_self);
  if (options.cluster) {
    json.null_member("k");
    write_clusters(json, *options.cluster, report.clusters);
  } else if (options.all_neighbors) {
    json.member("k", "all");
    json.member("pairs", options.half_pairs ? "half" : "both");
  } else {
    json.member("k", options.search.k);
  }
  if (options.match) json.member("match", options.is_one_to_one() ? "one-to-one" : "mutual");
  json.member("method", name_of(options.search.method));
  json.member("shifts", is_approximate ? std::optional(s->shifts) : std::nullopt);
  json.member("window", is_approximate ? std::optional(s->window) : std::nullopt);
  if (is_approximate)
    object(json, "sample", [&] {
      json.member("queries", s->sample.queries);
      json.member("recall", s->sample.recall);
    });
}

void write_batch(JsonWriter& json, const BatchEnd& batch) {
  json.member("done", batch.counts.done);
  json.member("skipped", batch.counts.skipped);
  json.member("failed", batch.counts.failed);
  json.member("left", batch.counts.left);
  json.member("ended_by", batch.ended_by.empty() ? std::nullopt : std::optional(batch.ended_by));
}

void write_memory(JsonWriter& json, const Report& report) {
  json.member("host", base::peak_host_memory());
  json.member("device", report.search ? report.search->device_peak_bytes : 0);
}

void write_accuracy(JsonWriter& json, const Accuracy& a) {
  json.member("queries", a.judged);
  json.member("recall", a.recall);  // NaN becomes null
  json.member("identical_rows", a.identical);
  json.member("distance_ratio", a.distance_ratio);
  json.member("all_correct", a.all_correct);
  json.member("faulty_rows", a.faulty);
}

std::string_view word_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::check_failed:
      return "check_failed";
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::bad_input:
      return "bad_input";
    case ErrorKind::resources:
      return "resources";
    case ErrorKind::no_device:
      return "no_device";
    case ErrorKind::internal:
      break;
  }
  return "internal";
}

/// Numbers that are not finite become null.
void write_statistics(JsonWriter& json, const DistanceStatistics& statistics) {
  json.key("ranks");
  json.begin_array();
  for (const RankStatistics& r : statistics.ranks) {
    json.begin_object();
    json.member("rank", r.rank);
    json.member("queries", r.queries);
    json.member("mean", r.mean);
    json.member("median", r.median);
    json.member("p95", r.p95);
    json.member("p99", r.p99);
    json.member("max", r.max);
    json.member("deviation", r.deviation);
    json.member("rms", r.rms);
    json.end_object();
  }
  json.end_array();
  json.member("empty_rows", statistics.empty_rows);
  object(json, "density", [&] {
    json.member("p5", statistics.density.p5);
    json.member("median", statistics.density.median);
    json.member("p95", statistics.density.p95);
    json.member("coincident", statistics.density.coincident);
  });
}

}  // namespace

Failure::Failure(ErrorKind error, std::string text)
    : Failure(word_for(error), std::move(text), static_cast<int>(error)) {}

std::string report_json(const Options& options, const Report& report) {
  JsonWriter json(options.is_batch() || options.is_batch_job ? JsonWriter::Style::compact
                                                             : JsonWriter::Style::indented);
  json.begin_object();
  json.member("version", k_version);
  object(json, "kann", [&] {
    json.member("version", version());
    json.member("commit", build_commit());
  });
  if (report.job) json.member("job", *report.job);
  if (report.job || report.is_skipped) json.member("skipped", report.is_skipped);
  write_problem(json, options, report);
  json.member("radius", options.search.radius);
  if (options.search.radius) {
    json.member("within_radius", report.search ? report.search->within_radius : std::nullopt);
    json.member("full_rows", report.search ? report.search->full_rows : std::nullopt);
  }
  if (options.search.periodic.empty())
    json.null_member("periodic");
  else
    values(json, "periodic", options.search.periodic);
  if (options.search.sky) json.member("sky", name_of(*options.search.sky));
  if (options.group) json.member(options.group_rule == GroupRule::same ? "group" : "other_group", *options.group);
  json.member("invalid", options.search.invalid == InvalidPoints::skip ? "skip" : "error");
  write_device(json, report.search);
  object(json, "timing_s", [&] { write_timing(json, report); });
  object(json, "memory_peak_bytes", [&] { write_memory(json, report); });
  if (report.output_written || report.is_skipped)
    object(json, "output", [&] { json.member("path", options.output); });
  else
    json.null_member("output");
  if (report.files) write_tiles(json, *report.files);
  if (report.statistics) object(json, "statistics", [&] { write_statistics(json, *report.statistics); });
  write_answers(json, options, report);
  if (report.accuracy) object(json, "verify", [&] { write_accuracy(json, *report.accuracy); });
  if (report.comparison)
    object(json, "compare", [&] {
      json.member("path", options.compare.value_or(""));
      json.member("k", report.comparison->k);
      json.member("nearer_rows", report.comparison->accuracy.nearer);
      write_accuracy(json, report.comparison->accuracy);
    });
  values(json, "warnings", report.warnings);
  if (report.batch) object(json, "batch", [&] { write_batch(json, *report.batch); });
  if (const auto& f = report.failure)
    object(json, "error", [&] {
      json.member("kind", f->kind);
      json.member("message", f->message);
      json.member("exit_code", f->exit_code);
    });
  json.end_object();
  return json.text() + "\n";
}

std::string result_meta_json(const Options& options, const Report& report) {
  JsonWriter json(JsonWriter::Style::compact);
  json.begin_object();
  json.member("version", k_version);
  object(json, "kann", [&] { json.member("version", version()); });
  write_problem(json, options, report);
  if (options.search.radius) json.member("radius", *options.search.radius);
  if (!options.search.periodic.empty()) values(json, "periodic", options.search.periodic);
  if (options.search.sky) json.member("sky", name_of(*options.search.sky));
  if (options.group) json.member(options.group_rule == GroupRule::same ? "group" : "other_group", *options.group);
  if (report.first_row) json.member("first_row", *report.first_row);
  json.end_object();
  return json.text();
}

}  // namespace kann::cli
