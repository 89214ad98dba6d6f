// One job of a batch as it stands in its list.
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
  std::string data = {};             ///< empty: the data of --data
  std::optional<std::string> query;  ///< none: the data are the queries
  std::string output = {};           ///< empty: as --output says
  bool is_one_file = false;          ///< the line has one file only: the query, if --data is given
  std::string fault = {};            ///< why the line is no valid job; empty if it is one
};

/// The name by which people find the job: the line of its list, or its file of --query.
std::string name_of(const JobEntry& job);

/// The message, preceded by the name of the job.
std::string with_name(const JobEntry& job, const std::string& message);

/// Reads a line "data<TAB>query<TAB>output", of which the last one or two fields may be missing or empty, or a JSON
/// object with these keys, or a single file. Sets all but `number` and `where`.
JobEntry read_job_line(std::string_view line);

/// The options of one job: the options of the batch with the files of the job. @throws Error usage: no data, an unknown
/// output format.
Options options_of(const JobEntry& entry, const Options& batch);

/// The same for a job that is about to begin. @throws also Error bad_input: the line is no job; without a tab, it names
/// no
///         existing file and looks as if its fields had another separator.
Options checked_options_of(const JobEntry& entry, const Options& batch);

}  // namespace kann::cli
