// What --json and --report say about a run: one object, version 1, whose keys stay.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/error.hpp"
#include "kann/search.hpp"

#include "cli/options.hpp"

namespace kann::cli {

struct CloudFacts {
  std::string path;
  std::int64_t points = 0;
  int dimensions = 0;
  std::vector<std::string> columns = {};  ///< as Cloud has them
};

/// How a run ended, if not well.
struct Failure {
  ErrorKind kind;
  std::string message;

  int exit_code() const { return static_cast<int>(kind); }
};

/// Filled in while the run goes on, so that a failure leaves what was known by then.
struct Report {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::optional<CloudFacts> data, query;
  std::optional<SearchReport> search;
  std::optional<double> read_seconds, write_seconds;
  std::optional<double> read_data_seconds, read_query_seconds;  ///< of each cloud, which may be read at the same time
  std::optional<double> sync_seconds;                           ///< of writing: bringing the result to the medium
  std::optional<Accuracy> accuracy;
  bool output_written = false;
  std::vector<std::string> warnings;
  std::optional<Failure> failure;
};

/// The whole report, pretty-printed, with a final newline. Keys of what the run did not come to are null.
std::string report_json(const Options& options, const Report& report);

/// The part that goes with the result: what the answer depends on, and nothing of device, threads, pipeline or time,
/// so that every device writes the same bytes. Needs `data`, `query` and `search`.
std::string result_meta_json(const Options& options, const Report& report);

/// Writes the report where --report says, if it says: whole or not at all, and never over an input, the result or a
/// file that is no report. @throws Error usage, resources.
void publish_to_file(const Options& options, const Report& report);

/// Writes the report to stdout with --json. @throws Error resources.
void publish_to_stdout(const Options& options, const Report& report);

}  // namespace kann::cli
