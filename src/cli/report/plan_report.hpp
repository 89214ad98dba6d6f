// What --plan prints: the run that would be made.
#pragma once

#include <string>
#include <vector>

#include "kann/device.hpp"

#include "cli/options/options.hpp"
#include "cli/options/output_path.hpp"
#include "flow/file_plan.hpp"

namespace kann::cli {

struct PlannedOutput {
  OutputPath file;
  bool exists = false;
};

struct RunPlan {
  flow::SearchOutline search;
  DeviceInfo device = {};
  std::string device_reason = {};  ///< why it is this one; empty if it was asked for
  std::vector<PlannedOutput> outputs = {};
};

/// The plan in some lines; that of a job of a batch, in one.
std::string plan_text(const Options& options, const RunPlan& plan);

/// The plan as a JSON object: indented or, for a job of a batch, in one line. Keys that the report has, too, have the
/// same meaning.
std::string plan_json(const Options& options, const RunPlan& plan);

}  // namespace kann::cli
