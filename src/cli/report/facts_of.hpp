// The trees of facts about a run and a plan, and their JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kann/device.hpp"
#include "kann/transfer.hpp"

#include "cli/facts/facts.hpp"
#include "cli/options/options.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/report.hpp"
#include "flow/file_plan.hpp"

namespace kann::cli {

/// All that is known of a run, as far as it has come. docs/report.schema.json says what the keys mean; those of steps
/// that were not reached are null.
Facts facts_of_run(const Options& options, const Report& report);

/// facts_of_run() as JSON: indented, or one line for a job of a batch.
std::string report_json(const Options& options, const Report& report);

/// The part of the report that is stored in the result, in one line without a newline: everything that the answer
/// depends on. Device, threads and times are left out, so that every device writes the same bytes. Needs `data`,
/// `query` and `search`.
std::string result_meta_json(const Options& options, const Report& report);

/// How long the parts of a run took so far, from "read" to "other", which add up to "total". Null: a part that was not
/// reached. Parts that were not asked for are left out.
Facts time_facts(const Report& report);

/// The statistics of each rank, as a table.
std::vector<Facts> rank_facts(const DistanceStatistics& statistics);

Facts device_facts(const DeviceInfo& device);
Facts failure_facts(const Failure& failure);

struct PlannedOutput {
  OutputPath file;
  bool exists = false;
};

/// What --plan knows of the run that would be made.
struct RunPlan {
  flow::SearchOutline search;
  DeviceInfo device = {};
  std::string device_reason = {};  ///< why it is this one; empty if it was asked for
  std::vector<PlannedOutput> outputs = {};
};

/// What is known of a plan. Keys that the report has, too, have the same meaning.
Facts facts_of_plan(const Options& options, const RunPlan& plan);

/// What --plan prints: the facts as JSON with --json, else their text; that of a job of a batch, in one line.
std::string plan_text(const Options& options, const RunPlan& plan);

/// The name of a device, with the threads of a CPU: "CPU (2 threads)".
std::string device_text(const DeviceInfo& device);

/// The word that --by takes.
std::string_view word_of(TransferMethod method);

}  // namespace kann::cli
