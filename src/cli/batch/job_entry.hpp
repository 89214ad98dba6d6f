// One job of a batch as its list says it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options/options.hpp"

namespace kann::cli {

struct JobEntry {
  std::int64_t number = 0;           ///< from 1, in the order of the list
  std::string where = {};            ///< "jobs.tsv:12"; empty: a file of --query
  std::string data = {};             ///< empty: that of --data
  std::optional<std::string> query;  ///< none: the data are the queries
  std::string output = {};           ///< empty: as --output says
  bool is_one_file = false;          ///< the line is a file alone: the query, if there is --data
  std::string fault = {};            ///< why the line cannot be a job; empty: it can
};

/// What people find the job by: the line of its list, or its file of --query.
std::string name_of(const JobEntry& job);

/// A message of the job, which begins with its name.
std::string with_name(const JobEntry& job, const std::string& message);

/// Reads "data<TAB>query<TAB>output", where the last one or two may be missing or empty, or a JSON object with these
/// keys, or a file alone. Sets all but `number` and `where`.
JobEntry read_job_line(std::string_view line);

/// @throws Error bad_input: a line without a tab names no file, and looks as if its fields were separated otherwise.
void check_separator(const JobEntry& entry);

/// The options of one job: those of the batch, with its files. @throws Error usage: no data, an unknown output format.
Options options_of(const JobEntry& entry, const Options& batch);

}  // namespace kann::cli
