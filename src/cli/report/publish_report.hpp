// Publishes the report: to the file of --report, and to stdout with --json.
#pragma once

#include <string>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// Replaces an earlier report in the file of --report by that of an unfinished run, so that the earlier one is never
/// taken for the report of this run, however this run ends. Called once the run is known to begin. @throws Error usage,
/// resources.
void mark_earlier_report(const Options& options, const Report& report);

/// Empties the file of --report for the lines of a batch. Called once the batch is known to begin. @throws Error usage,
/// resources.
void begin_batch_report(const Options& options);

/// Writes the report to the file of --report, if given: completely or not at all; the report of a job of a batch is
/// appended as a line. Never replaces an input, the result or a file that is not a report; nor, if the run was refused
/// because its result exists, the report of that result.
/// @throws Error usage, resources.
void publish_to_file(const Options& options, const Report& report);

/// Writes the report to stdout with --json, once in a process or per job of a batch. @throws Error resources;
/// formats::ReaderGone.
void publish_to_stdout(const Options& options, const Report& report);

/// Writes text to stdout. @throws as publish_to_stdout().
void write_to_stdout(const std::string& text);

}  // namespace kann::cli
