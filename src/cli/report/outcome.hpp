// What stdout gets of a job: the path of its result, or its report.
#pragma once

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// Refuses a closed stdout before the work, if the run is for what goes there. @throws Error resources.
void check_stdout(const Options& options);

/// Prints the result's path, or the report with --json. The result is whole, whoever reads them.
void print_outcome(const Options& options, const Report& report);

/// Prints text that is no result: who does not read it does not want it.
void print(const std::string& text);

}  // namespace kann::cli
