// What is known of a plan.
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "kann/search.hpp"

#include "base/counted.hpp"
#include "base/host_memory.hpp"
#include "base/printable.hpp"
#include "cli/report/facts_of.hpp"
#include "flow/tile_sizes.hpp"

namespace kann::cli {
namespace {

constexpr int k_plan_version = 1;

const std::string& queries_of(const Options& options) { return options.query ? *options.query : options.data; }

Facts cloud_facts(const std::string& path, const RunPlan& plan, std::int64_t flow::SearchShape::*points) {
  return {{"path", path}, {"points", plan.search.shape ? std::optional((*plan.search.shape).*points) : std::nullopt}};
}

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

}  // namespace

Facts facts_of_plan(const Options& options, const RunPlan& plan) {
  const flow::SearchOutline& search = plan.search;
  const std::string queries = options.grid ? "the cells of a grid, taken to be as many as there are points"
                                           : cloud_text(queries_of(options), plan, &flow::SearchShape::queries);
  Value tiles;
  if (search.sizes) {
    Facts facts = {{"count", search.pieces > 0 ? 1 : search.tiles}};
    if (search.pieces > 0) facts.push_back({"pieces", search.pieces});
    facts.push_back({"temporary_bytes", static_cast<std::int64_t>(search.temporary_bytes),
                     search.temporary_bytes > 0 ? "disk" : "",
                     "about " + base::bytes_text(search.temporary_bytes) + " of temporary files"});
    tiles = std::move(facts);
  }
  std::vector<Facts> outputs;
  for (const PlannedOutput& output : plan.outputs)
    outputs.push_back({{"option", output.file.option}, {"path", output.file.path}, {"exists", output.exists}});
  return {{"version", k_plan_version},
          {"data", cloud_facts(options.data, plan, &flow::SearchShape::data), "data",
           cloud_text(options.data, plan, &flow::SearchShape::data)},
          {"query", cloud_facts(queries_of(options), plan, &flow::SearchShape::queries),
           options.query || options.grid ? "queries" : "", queries},
          {"estimated", search.heads.are_estimated},
          {"k",
           options.cluster         ? Value()
           : options.all_neighbors ? Value("all")
                                   : Value(options.search.k),
           options.cluster ? "" : "k"},
          {"radius", options.search.radius, options.has_radius() ? "radius" : "", options.radius_name.value_or("")},
          {"method", name_of(options.search.method), "method"},
          {"device", device_facts(plan.device), "device",
           device_text(plan.device) + (plan.device_reason.empty() ? "" : ": " + plan.device_reason)},
          {"tiles", tiles, "search", division_text(options, plan)},
          {"memory_bytes",
           Facts{{"needed", search.shape ? std::optional(static_cast<std::int64_t>(search.bytes)) : std::nullopt},
                 {"budget", static_cast<std::int64_t>(search.budget)}},
           "memory", memory_text(options, plan)},
          {"outputs", std::move(outputs), "output", outputs_text(options, plan)}};
}

std::string plan_text(const Options& options, const RunPlan& plan) {
  const Facts facts = facts_of_plan(options, plan);
  if (options.json) return json(facts, !options.is_batch_job);
  if (options.is_batch_job)
    return fmt::format("{}: {} on {}, {}{}; output {}\n", base::printable(queries_of(options)),
                       name_of(options.search.method), device_text(plan.device), division_text(options, plan),
                       plan.search.shape ? ", " + needed_text(options, plan) : "", outputs_text(options, plan));
  std::string text;
  for (const auto& [label, shown] : labelled(facts)) text += fmt::format("{:<9}{}\n", label, shown);
  return text;
}

}  // namespace kann::cli
