#include "cli/report.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include "cli/output_path.hpp"
#include "io/files/output_file.hpp"

namespace kann::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr int k_version = 1;

/// The value, or null if there is none.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string_view name_of(ErrorKind kind) {
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

Json cloud_json(const std::optional<CloudFacts>& cloud, const std::optional<std::int64_t>& skipped) {
  if (!cloud) return nullptr;
  Json json = {{"path", cloud->path},
               {"points", cloud->points},
               {"dimensions", cloud->dimensions},
               {"skipped", or_null(skipped)}};
  if (!cloud->columns.empty()) json["columns"] = cloud->columns;
  return json;
}

/// Adds the keys that report_json() and result_meta_json() share.
void add_problem(Json& json, const Options& options, const Report& report) {
  const auto& s = report.search;
  const bool exact = options.search.method == Method::exact;
  const auto parameter = [&](auto member) { return s && !exact ? Json((*s).*member) : Json(nullptr); };
  const auto skipped = [&](auto member) { return s ? std::optional((*s).*member) : std::nullopt; };
  json["data"] = cloud_json(report.data, skipped(&SearchReport::data_skipped));
  json["query"] = cloud_json(report.query, skipped(&SearchReport::query_skipped));
  json["self_query"] = options.self_query();
  json["include_self"] = options.search.include_self;
  json["k"] = options.search.k;
  json["method"] = exact ? "exact" : "shifted-sort";
  json["shifts"] = parameter(&SearchReport::shifts);
  json["window"] = parameter(&SearchReport::window);
  json["far_window"] = parameter(&SearchReport::far_window);
  json["bits"] = parameter(&SearchReport::bits);
}

Json device_json(const DeviceInfo& device) {
  const bool cpu = device.kind == DeviceKind::cpu;
  Json json = {{"name", device.name}, {"kind", cpu ? "cpu" : "cuda"}};
  if (cpu) json["threads"] = device.threads;
  if (!cpu) json["memory_bytes"] = device.memory_bytes;
  return json;
}

/// `whole` minus its parts; 0 if that is negative, by rounding.
double remainder_of(double whole, const std::vector<double>& parts) {
  for (const double part : parts) whole -= part;
  return std::max(0.0, whole);
}

Json steps_json(const SearchReport& search) {
  const StepSeconds& t = search.steps;
  Json steps = {{"prepare", t.prepare}, {"start_up", t.start_up}, {"upload", t.upload}, {"encode", t.encode},
                {"sort", t.sort},       {"rank", t.rank},         {"boxes", t.boxes},   {"select", t.select},
                {"rows", t.rows},       {"download", t.download}};
  std::vector<double> seconds;
  for (const auto& step : steps) seconds.push_back(step.get<double>());
  steps["other"] = remainder_of(search.total_seconds, seconds);
  return steps;
}

/// `read`, `search`, `write`, `verify` and `other` add up to `total`, and the steps to `search`. `start_up` overlaps
/// with them; only the time that the search waited for it is one of the steps.
Json timing_json(const Report& report) {
  const double total = std::chrono::duration<double>(std::chrono::steady_clock::now() - report.start).count();
  const double search = report.search ? report.search->total_seconds : 0;
  const double verify = report.accuracy ? report.accuracy->seconds : 0;
  Json json = {{"read", or_null(report.read_seconds)}, {"search", nullptr}, {"write", or_null(report.write_seconds)}};
  if (report.search) json["search"] = search;
  if (report.accuracy) json["verify"] = verify;
  json["other"] =
      remainder_of(total, {report.read_seconds.value_or(0), search, report.write_seconds.value_or(0), verify});
  json["total"] = total;
  json["steps"] = report.search ? steps_json(*report.search) : Json(nullptr);
  json["start_up"] = nullptr;
  if (report.search)
    json["start_up"] = {{"took", report.search->start_up_seconds}, {"waited", report.search->steps.start_up}};
  json["read_each"] = {{"data", or_null(report.read_data_seconds)}, {"query", or_null(report.read_query_seconds)}};
  json["sync"] = or_null(report.sync_seconds);
  return json;
}

Json memory_json(const Report& report) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const std::int64_t host = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
  return {{"host", host}, {"device", report.search ? report.search->device_peak_bytes : 0}};
}

/// File names are bytes; JSON is UTF-8.
std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

void write_text(const std::string& path, const std::string& text) {
  const std::unique_ptr<io::OutputFile> file = io::open_output(path, true);
  file->write(io::as_bytes(text));
  file->finish();
  file->publish();
}

}  // namespace

std::string report_json(const Options& options, const Report& report) {
  Json json;
  json["version"] = k_version;
  json["kann"] = {{"version", version()}, {"commit", build_commit()}};
  add_problem(json, options, report);
  json["pipeline"] = options.search.pipeline == Pipeline::paper ? "paper" : "fused";
  json["radius"] = nullptr;  // a key of version 1; no option limits the distance
  json["invalid"] = options.search.invalid == InvalidPoints::skip ? "skip" : "error";
  json["device"] = report.search ? device_json(report.search->device) : Json(nullptr);
  json["timing_s"] = timing_json(report);
  json["memory_peak_bytes"] = memory_json(report);
  json["output"] = report.output_written ? Json{{"path", options.output}} : Json(nullptr);
  if (const auto& a = report.accuracy)
    json["verify"] = {{"queries", a->judged},
                      {"recall", a->recall},
                      {"distance_ratio", a->distance_ratio},
                      {"all_correct", a->all_correct}};
  json["warnings"] = report.warnings;
  if (const auto& f = report.failure)
    json["error"] = {{"kind", name_of(f->kind)}, {"message", f->message}, {"exit_code", f->exit_code()}};
  return dump(json, 2) + "\n";
}

std::string result_meta_json(const Options& options, const Report& report) {
  Json json;
  json["version"] = k_version;
  json["kann"] = {{"version", version()}};
  add_problem(json, options, report);
  return dump(json, -1);
}

void publish_to_file(const Options& options, const Report& report) {
  if (!options.report) return;
  protect_files_from_report(options);
  write_text(*options.report, report_json(options, report));
}

void publish_to_stdout(const Options& options, const Report& report) {
  if (options.json) write_text("-", report_json(options, report));
}

}  // namespace kann::cli
