// The plan of a job that is not made.
#pragma once

#include "cli/options/options.hpp"
#include "cli/report/facts_of.hpp"

namespace kann::cli {

/// What a job with these options would do, as far as the heads of its files tell. No file is made or changed. Blocks.
/// @throws Error usage, bad_input, resources, no_device: those that the job would end with, as far as they are known.
RunPlan plan_job(const Options& options);

}  // namespace kann::cli
