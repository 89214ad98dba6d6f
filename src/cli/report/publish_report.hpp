// Publishes the report: to the files of --report and --html, and to stdout with --json.
#pragma once

#include <string>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// Refuses what publish_to_files() refuses, before the work.
void protect_files_from_reports(const Options& options);

/// Replaces an earlier report in the file of --report, and an earlier page in that of --html, by those of an unfinished
/// run, so that the earlier ones are never taken for those of this run, however it ends. Called once the run is known
/// to begin. @throws Error usage, resources.
void mark_earlier_reports(const Options& options, const Report& report);

/// Begins the files of --report and --html for the jobs of a batch. Called once the batch is known to begin.
/// @throws Error usage, resources.
void begin_batch_reports(const Options& options);

/// Writes the report to the files of --report and --html, if they are given and this is no plan: completely or not at
/// all; that of a job of a batch is appended. Never replaces an input, the result or a file that is not a report; nor,
/// if the run was refused because its result exists, the report of that result.
/// @throws Error usage, resources.
void publish_to_files(const Options& options, const Report& report);

/// Writes the report to stdout with --json, once in a process or per job of a batch. @throws Error resources;
/// formats::ReaderGone.
void publish_to_stdout(const Options& options, const Report& report);

/// Writes text to stdout. @throws as publish_to_stdout().
void write_to_stdout(const std::string& text);

}  // namespace kann::cli
