// Many jobs in one process: while one job is searched, the clouds of the next are read and the results of earlier ones
// written.
#pragma once

#include "kann/search.hpp"

#include "cli/batch/job_source.hpp"
#include "cli/job/device_start.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"
#include "cli/terminal/progress.hpp"

namespace kann::cli {

/// Seconds that the CPU takes for the searches of a batch, roughly, by the heads of the files of up to 64 of its jobs;
/// 0 for a stream. Blocks.
double expected_cpu_seconds(const JobSource& jobs, const Options& batch);

/// Runs all jobs, and reports how each of them ended. A job that fails does not end the others, unless
/// Options::fail_fast. Blocks. Returns the exit code of the first job, in their order, that failed; 0 if none did.
/// @param search_options the search options of `options`, with as many threads as can be started
/// @param report of the batch itself
/// @throws Error resources: the report cannot be written, threads cannot be started.
int run_batch(const Options& options, JobSource& jobs, const SearchOptions& search_options, DeviceStart& device,
              Report& report, Progress& progress);

}  // namespace kann::cli
