// Publishes the report: to the files of --report and --html, and to stdout with --json.
#pragma once

#include <string>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// Refuses what begin_reports() refuses, before the work.
void protect_files_from_reports(const Options& options);

/// Writes the report and the page of an unfinished run, so that earlier ones are never taken for those of this run,
/// however it ends; and prepares those of its other ends. In a batch, begins the file to which its jobs are appended.
/// Called once the run is known to begin. Writes nothing to pipes and devices.
/// @throws Error usage (a file exists, and neither --force nor --skip-existing is given), resources.
void begin_reports(const Options& options, const Report& report);

/// Adds the report of a job of a batch that has ended. @throws Error resources.
void append_to_report(const Options& job, const Report& report);

/// Writes the report to the files of --report and --html: completely or not at all; that of a batch is the last line of
/// its file. Before begin_reports(), it replaces nothing, even with --force: after a typing error such as `--dta
/// pts.ply
/// --report pts.ply`, the cloud must still be there.
/// @throws Error usage, resources.
void publish_to_files(const Options& options, const Report& report);

/// Writes the report to stdout with --json, once in a process or per job of a batch. @throws Error resources;
/// formats::ReaderGone.
void publish_to_stdout(const Options& options, const Report& report);

/// Writes text to stdout. @throws as publish_to_stdout().
void write_to_stdout(const std::string& text);

}  // namespace kann::cli
