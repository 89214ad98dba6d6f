// Estimates what a batch will search, from some of its jobs.
#pragma once

#include "cli/batch/job_source.hpp"
#include "cli/job/device_start.hpp"
#include "cli/options/options.hpp"

namespace kann::cli {

/// Looks at the heads of the files of up to 64 jobs. Gives no sizes for a stream. Blocks.
ExpectedSearches expected_searches(const JobSource& jobs, const Options& batch);

}  // namespace kann::cli
