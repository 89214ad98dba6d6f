// The page of --html, for people: one run, or the jobs of a batch.
#pragma once

#include <string>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// The whole page of a run, as far as it has come.
std::string run_page(const Options& options, const Report& report);

/// The row of a job in the page of its batch.
std::string batch_page_row(const Options& job, const Report& report);

/// The whole page of a batch: how it ended, and the rows of its jobs, those that failed first.
std::string batch_page(const Options& batch, const Report& report);

/// The page of a run or a batch.
inline std::string page(const Options& options, const Report& report) {
  return options.is_batch() || options.is_batch_job ? batch_page(options, report) : run_page(options, report);
}

}  // namespace kann::cli
