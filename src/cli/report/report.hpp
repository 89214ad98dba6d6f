// What is known of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/clusters.hpp"
#include "kann/error.hpp"
#include "kann/outliers.hpp"
#include "kann/query_grid.hpp"
#include "kann/render.hpp"
#include "kann/search.hpp"
#include "kann/statistics.hpp"
#include "kann/transfer.hpp"

#include "cli/options/options.hpp"
#include "cli/process/batch_counts.hpp"
#include "flow/file_search_report.hpp"

namespace kann::cli {

struct CloudFacts {
  std::string path;
  std::int64_t points = 0;
  int dimensions = 0;
  std::vector<std::string> columns = {};   ///< Cloud::columns
  std::optional<std::uint64_t> hash = {};  ///< coordinates_hash(), if it was needed
  std::string system = {};                 ///< the coordinate system, for people; empty if the file names none
  std::int64_t left_out = 0;               ///< points that do not meet --where or --query-where
};

/// The comparison of a result with the file of Options::compare.
struct Comparison {
  Accuracy accuracy;
  std::int64_t queries = 0;         ///< valid queries
  std::int64_t k = 0;               ///< neighbours per query in that file
  std::int64_t in_row = 0;          ///< neighbours that the file must have per query if there is no radius
  bool claims_to_be_exact = false;  ///< whether the file says that it is exact
};

/// Numbers of queries, as in FeatureResult.
struct FeatureFacts {
  std::int64_t too_few = 0, undetermined = 0;
};

/// Facts about transferred attributes, outliers and features.
struct ColumnFacts {
  struct Attribute {
    std::string name;
    TransferMethod by;
  };
  std::vector<Attribute> transferred;
  struct Replaced {
    std::string name, given_name;  ///< name of the attribute, and its name in --transfer
    TransferMethod asked;
    bool is_text;
  };
  std::vector<Replaced> voted_instead;  ///< whole numbers and text for which transfer_method() chose `vote`
  std::vector<std::string> rounded;     ///< attributes whose values the result does not hold exactly
  struct Beyond {
    std::string name;
    std::int64_t values = 0;
  };
  std::vector<Beyond> beyond;  ///< attributes with values outside of the data's range by more than its width
  std::int64_t without_neighbors = 0, singular = 0, by_distance = 0, nan_values = 0;  ///< as in TransferResult
  struct Outliers {
    OutlierOptions options;
    double mean = 0, deviation = 0, threshold = 0;
    std::int64_t count = 0;
  };
  std::optional<Outliers> outliers;
  std::optional<FeatureFacts> features;
};

/// The pairs of a join.
struct PairFacts {
  std::int64_t pairs = 0;
  std::int64_t queries = 0;  ///< that have one
};

/// What ended a run.
struct Failure {
  Failure(ErrorKind error, std::string text);
  Failure(std::string_view name, std::string text, std::optional<int> code)
      : kind(name), message(std::move(text)), exit_code(code) {}

  std::string_view kind;  ///< "bad_input": a literal
  std::string message;
  std::optional<int> exit_code;  ///< none while the run has not ended
  bool is_quiet = false;         ///< only the report tells about it
};

/// How a batch ended: the last line of its report.
struct BatchEnd {
  BatchCounts counts;
  std::string_view ended_by;  ///< "failure" (the remaining jobs were given up) or "error": a literal; empty: by its
                              ///< last job
};

/// The facts about a run. Filled in step by step, so that after a failure it has the completed steps.
struct Report {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::optional<CloudFacts> data, query;
  std::optional<problem::Survey> survey;  ///< of the data, for the page of a search in memory
  std::string unit;                       ///< of distances, for people; empty if it is not known
  std::optional<QueryGrid> grid;
  std::optional<SearchReport> search;
  std::optional<flow::FileSearchReport> files;  ///< set for a search from files
  std::optional<std::int64_t> first_row;        ///< set if a rank has its own part of the result
  std::optional<double> read_seconds, write_seconds;
  std::optional<double> read_data_seconds, read_query_seconds;  ///< time for each cloud; may overlap
  std::optional<double> sync_seconds;                           ///< part of write_seconds: fsync and rename
  std::optional<double> column_seconds, draw_seconds;           ///< time for the columns, and for the picture
  std::optional<ColumnFacts> columns;
  std::optional<RenderCounts> picture;
  std::optional<PairFacts> pairs;
  std::optional<std::int64_t> kept = {};  ///< queries that meet --keep
  std::optional<ClusterCounts> clusters;
  std::optional<DistanceStatistics> statistics;
  std::optional<Accuracy> accuracy;
  std::optional<Comparison> comparison;
  bool output_written = false, picture_written = false;
  std::string histogram_svg, picture_png;  ///< for the page of --html
  std::optional<std::int64_t> job;         ///< its number in a batch
  std::optional<BatchEnd> batch;
  std::string failed_rows, other_rows;  ///< of the page of a batch: its jobs that have ended
  bool is_skipped = false;              ///< the job was left out, since its result exists
  std::vector<std::string> warnings;
  std::optional<Failure> failure;
};

}  // namespace kann::cli
