// The page of --html, for people: one run, or the jobs of a batch.
#pragma once

#include <string>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// The whole page of a run, as far as it has come.
std::string run_page(const Options& options, const Report& report);

/// The page of a batch up to the first row of its table.
std::string batch_page_begin(const Options& batch);

/// What the page of a batch gets next: the row of a job, or, if `report` is that of the batch, its end. A page without
/// an end has the rows of all jobs that were reported.
std::string batch_page_next(const Options& options, const Report& report);

}  // namespace kann::cli
