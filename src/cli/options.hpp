// The command line and the environment variables, as one plain struct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kann/io.hpp"
#include "kann/search.hpp"

namespace kann::cli {

enum class Action { search, show_help, show_version, dump_config };
enum class When { automatic, always, never };

struct Options {
  Action action = Action::search;
  std::optional<std::string> config;  ///< the file that set what the command line and the variables left
  std::string config_text;            ///< for Action::dump_config

  std::string data;                  ///< "-" is standard input
  std::optional<std::string> query;  ///< none: the data are the queries
  std::optional<PointFormat> data_format, query_format;
  std::vector<std::string> columns;  ///< of both clouds, as in ReadOptions

  std::string output;                           ///< "-" is standard output; after parse_options() never empty
  std::optional<NeighborFormat> output_format;  ///< after parse_options() always set
  std::string output_extension = "npz";         ///< of the default output
  bool force = false;
  bool json = false;
  std::optional<std::string> report;

  SearchOptions search;

  bool verify = false;
  std::int64_t verify_sample = 0;  ///< 0: all queries
  std::optional<double> min_recall;

  bool quiet = false, verbose = false;
  When progress = When::automatic, color = When::automatic;

  bool self_query() const { return !query; }
};

/// Reads the arguments (without the program's name) and, for options that are not given, their variables KANN_…, or
/// else the file of --config. With --dump-config, neither --data nor an output is needed.
/// `options` is an argument because it is needed after a failure: the options of reporting (--json, --report, --quiet,
/// --color) are read before all others, and they decide how the failure is reported.
/// @throws Error usage.
void parse_options(int count, const char* const* arguments, Options& options);

}  // namespace kann::cli
