// What the program does with many jobs: it makes a batch in one process (while one job is searched, the clouds of the
// next are read and the results of earlier ones written), plans jobs for --plan, or judges stored results for kann
// check.
#pragma once

#include <string>

#include "kann/search.hpp"

#include "cli/batch/job_source.hpp"
#include "cli/job/device_start.hpp"
#include "cli/job/job.hpp"
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

/// Prints the plan of the run; of a batch, a line for each job. An error of a job is printed in its place, and the
/// others follow. Blocks. Returns the exit code: that of the first job that cannot be made, else 0.
/// @throws Error as plan_job() and open_jobs(); resources, formats::ReaderGone: stdout cannot be written.
int show_plans(const Options& options);

/// Whether a cloud is looked for beside the result before it is looked for from the current folder.
struct Beside {
  bool data = false, query = false;
};

/// The options of the search that made a stored result, from its `meta`: which clouds it read and how, what it asked
/// for.
/// @param asked how to judge, and what to print
/// @throws Error bad_input: the file has no meta of kann, or no rows of k neighbours.
Options options_of_result(const std::string& result, const Options& asked, Beside beside);

/// Judges each of Options::files and prints how it did. An error of one is printed in its place, and the others follow.
/// Blocks. Returns the exit code of the first that failed, else 0. @throws Error resources, formats::ReaderGone: stdout
/// cannot be written.
int check_results(const Options& options);

}  // namespace kann::cli
