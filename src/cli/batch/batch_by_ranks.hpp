// A batch that several ranks do together: one job after the other, each by all ranks.
#pragma once

#include "kann/search.hpp"

#include "cli/batch/job_source.hpp"
#include "cli/job/device_start.hpp"
#include "cli/options/options.hpp"
#include "cli/terminal/progress.hpp"
#include "flow/ranks/communicator.hpp"

namespace kann::cli {

/// run_batch() by all ranks, which have the same jobs. Rank 0 has the files and the messages; a job that fails on one
/// rank has failed on all. All ranks call it; blocks. Returns the same exit code on all ranks. @throws as run_batch().
int run_batch_by_ranks(const Options& options, JobSource& jobs, const SearchOptions& search_options,
                       DeviceStart& device, Progress& progress, flow::Communicator& ranks);

}  // namespace kann::cli
