#include "cli/report/plan_report.hpp"

#include <fmt/format.h>
#include <string_view>

#include "kann/search.hpp"

#include "base/counted.hpp"
#include "base/host_memory.hpp"
#include "base/printable.hpp"
#include "cli/json/json_writer.hpp"
#include "cli/report/device_report.hpp"
#include "flow/tile_sizes.hpp"

namespace kann::cli {
namespace {

constexpr int k_plan_version = 1;

const std::string& queries_of(const Options& options) { return options.query ? *options.query : options.data; }

std::string cloud_text(const std::string& path, const RunPlan& plan, std::int64_t flow::SearchShape::*points) {
  const std::string name = base::printable(path == "-" ? "stdin" : path);
  if (!plan.search.shape) return name;
  return fmt::format("{} ({}{})", name, plan.search.heads.are_estimated ? "about " : "",
                     base::counted((*plan.search.shape).*points, "point"));
}

/// "in 4 tiles or some more"
std::string division_text(const Options& options, const RunPlan& plan) {
  if (plan.search.tiles > 0)
    return "in " + base::counted(plan.search.tiles, "tile") + ", or some more where points crowd";
  if (!plan.search.shape && options.grid) return "not known before the cells are counted";
  if (plan.search.pieces > 0) return "in " + base::counted(plan.search.pieces, "piece") + " of the queries";
  return "in memory";
}

/// Bytes of memory; rows of any length, as many as there is room for, come on top.
std::string needed_text(const Options& options, const RunPlan& plan) {
  const std::string bytes = base::bytes_text(plan.search.bytes);
  return options.all_neighbors && !plan.search.sizes ? bytes + " beside the neighbours" : bytes + " at most";
}

std::string memory_text(const Options& options, const RunPlan& plan) {
  const std::string budget = base::bytes_text(plan.search.budget);
  if (!plan.search.shape) return fmt::format("not known before the points are read; {} may be taken", budget);
  return fmt::format("{}, of {} that may be taken", needed_text(options, plan), budget);
}

std::string output_text(const Options& options, const PlannedOutput& output) {
  const std::string path = base::printable(output.file.path);
  if (!output.exists) return path;
  const bool is_report = output.file.option == "--report" || output.file.option == "--html";
  return path + (options.force || (is_report && options.skip_existing) ? " (exists, and is replaced)"
                 : options.skip_existing                               ? " (exists)"
                                                                       : " (exists; --force replaces it)");
}

/// All files between commas; "stdout" if the result goes there.
std::string outputs_text(const Options& options, const RunPlan& plan) {
  std::string text = options.output == "-" ? "stdout" : "";
  for (const PlannedOutput& output : plan.outputs) text += (text.empty() ? "" : ", ") + output_text(options, output);
  return text.empty() ? "none" : text;
}

std::string job_line(const Options& options, const RunPlan& plan) {
  return fmt::format("{}: {} on {}, {}{}; output {}\n", base::printable(queries_of(options)),
                     name_of(options.search.method), device_text(plan.device), division_text(options, plan),
                     plan.search.shape ? ", " + needed_text(options, plan) : "", outputs_text(options, plan));
}

void write_cloud(JsonWriter& json, std::string_view key, const std::string& path, const RunPlan& plan,
                 std::int64_t flow::SearchShape::*points) {
  json.key(key);
  json.begin_object();
  json.member("path", path);
  json.member("points", plan.search.shape ? std::optional((*plan.search.shape).*points) : std::nullopt);
  json.end_object();
}

}  // namespace

std::string plan_text(const Options& options, const RunPlan& plan) {
  if (options.is_batch_job) return job_line(options, plan);
  std::string text;
  const auto line = [&](std::string_view title, const std::string& value) {
    text += fmt::format("{:<9}{}\n", title, value);
  };
  line("data", cloud_text(options.data, plan, &flow::SearchShape::data));
  if (options.query) line("queries", cloud_text(*options.query, plan, &flow::SearchShape::queries));
  if (options.grid) line("queries", "the cells of a grid, taken to be as many as there are points");
  line("method", std::string(name_of(options.search.method)));
  line("device", device_text(plan.device) + (plan.device_reason.empty() ? "" : ": " + plan.device_reason));
  line("search", division_text(options, plan));
  line("memory", memory_text(options, plan));
  if (plan.search.temporary_bytes > 0)
    line("disk", "about " + base::bytes_text(plan.search.temporary_bytes) + " of temporary files");
  line("output", outputs_text(options, plan));
  return text;
}

std::string plan_json(const Options& options, const RunPlan& plan) {
  JsonWriter json(options.is_batch_job ? JsonWriter::Style::compact : JsonWriter::Style::indented);
  const flow::SearchOutline& search = plan.search;
  json.begin_object();
  json.member("version", k_plan_version);
  write_cloud(json, "data", options.data, plan, &flow::SearchShape::data);
  write_cloud(json, "query", queries_of(options), plan, &flow::SearchShape::queries);
  json.member("estimated", search.heads.are_estimated);
  json.member("method", name_of(options.search.method));
  SearchReport report;
  report.device = plan.device;
  write_device(json, report);
  if (search.sizes) {
    json.key("tiles");
    json.begin_object();
    json.member("count", search.pieces > 0 ? 1 : search.tiles);
    if (search.pieces > 0) json.member("pieces", search.pieces);
    json.member("temporary_bytes", static_cast<std::int64_t>(search.temporary_bytes));
    json.end_object();
  } else {
    json.null_member("tiles");
  }
  json.key("memory_bytes");
  json.begin_object();
  json.member("needed", search.shape ? std::optional(static_cast<std::int64_t>(search.bytes)) : std::nullopt);
  json.member("budget", static_cast<std::int64_t>(search.budget));
  json.end_object();
  json.key("outputs");
  json.begin_array();
  for (const PlannedOutput& output : plan.outputs) {
    json.begin_object();
    json.member("option", output.file.option);
    json.member("path", output.file.path);
    json.member("exists", output.exists);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text() + "\n";
}

}  // namespace kann::cli
