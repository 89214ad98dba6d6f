// What all steps of a job share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"
#include "cli/terminal/messages.hpp"
#include "flow/ranks/communicator.hpp"

namespace kann::cli {

struct JobContext {
  static constexpr std::string_view k_queries = "queries";  ///< the unit in which progress is counted

  const Options& options;
  Report& report;
  Messages& messages;
  int io_threads;                             ///< the number of threads for reading and writing
  flow::Communicator& ranks = flow::alone();  ///< that make the search together; rank 0 does the rest

  void phase(const std::string& name) const {
    if (Progress* const progress = messages.progress()) progress->phase(name);
  }

  /// Prints a warning and adds it to the report; does nothing if it was given before.
  void warn(const std::string& message) const {
    if (std::ranges::find(report.warnings, message) != report.warnings.end()) return;
    report.warnings.push_back(message);
    messages.warning(message);
  }
  void warn(const std::vector<std::string>& all) const {
    for (const std::string& message : all) warn(message);
  }

  /// Prints a warning, and puts it before all others of the report.
  void warn_first(const std::string& message) const {
    report.warnings.insert(report.warnings.begin(), message);
    messages.warning(message);
  }

  /// A function that shows how many queries have been searched; empty if no progress is shown.
  std::function<void(std::string_view, double)> progress_of(std::int64_t queries) const {
    Progress* const progress = messages.shown_progress();
    if (!progress) return nullptr;
    return [progress, count = static_cast<double>(queries)](std::string_view, double fraction) {
      progress->update({fraction * count, count, k_queries});
    };
  }
};

}  // namespace kann::cli
