// The report of --json and --report: one JSON object, version 1, with stable keys.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/error.hpp"
#include "kann/outliers.hpp"
#include "kann/query_grid.hpp"
#include "kann/search.hpp"
#include "kann/statistics.hpp"
#include "kann/transfer.hpp"

#include "cli/options/options.hpp"
#include "cli/report/batch_counts.hpp"
#include "tiles/exact.hpp"

namespace kann::cli {

struct CloudFacts {
  std::string path;
  std::int64_t points = 0;
  int dimensions = 0;
  std::vector<std::string> columns = {};   ///< those of Cloud
  std::optional<std::uint64_t> hash = {};  ///< coordinates_hash(), where it was needed
};

/// A result against Options::compare.
struct Comparison {
  Accuracy accuracy;
  std::int64_t queries = 0;         ///< valid ones
  std::int64_t k = 0;               ///< neighbours per query in that file
  std::int64_t in_row = 0;          ///< neighbours that it must have of a query, if there is no radius
  bool claims_to_be_exact = false;  ///< that file
  bool is_silent = false;           ///< that file, about what it is
};

/// Transferred attributes and outliers.
struct AnswerFacts {
  struct Attribute {
    std::string name;
    TransferMethod by;
  };
  std::vector<Attribute> transferred;
  struct Replaced {
    std::string name, given_name;  ///< that of the attribute, and as --transfer has it
    TransferMethod asked;
  };
  std::vector<Replaced> voted_instead;  ///< attributes of whole numbers, by transfer_method()
  std::vector<std::string> rounded;     ///< names of those that float64 does not hold, in an .npz
  struct Beyond {
    std::string name;
    std::int64_t values = 0;
  };
  std::vector<Beyond> beyond;  ///< attributes with values farther from those of the data than these are apart
  std::int64_t without_neighbors = 0, singular = 0, by_distance = 0, nan_values = 0;  ///< as in TransferResult
  struct Outliers {
    OutlierOptions options;
    double mean = 0, deviation = 0, threshold = 0;
    std::int64_t count = 0;
  };
  std::optional<Outliers> outliers;
};

/// As in RenderResult.
struct PictureFacts {
  std::int64_t drawn = 0, outside = 0, left_out = 0;
};

/// What ended a run.
struct Failure {
  Failure(ErrorKind error, std::string text);
  Failure(std::string_view name, std::string text, std::optional<int> code)
      : kind(name), message(std::move(text)), exit_code(code) {}

  std::string_view kind;  ///< "bad_input": a literal
  std::string message;
  std::optional<int> exit_code;  ///< none while the run has not ended
  bool output_exists = false;    ///< the run was refused, since its result exists
  bool is_quiet = false;         ///< nobody is told but the report
};

/// How a batch ended before its last job: the last line of its report.
struct BatchEnd {
  BatchCounts counts;
  std::string_view ended_by;  ///< "failure" (what was left was given up), "error" or "signal": a literal
};

/// Filled in step by step, so that after a failure it holds the completed steps.
struct Report {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::optional<CloudFacts> data, query;
  std::optional<QueryGrid> grid;
  std::optional<SearchReport> search;
  std::optional<tiles::TileReport> tiles;  ///< of a search in tiles
  std::optional<std::int64_t> first_row;   ///< of a rank's own part of the result
  std::optional<int> writing_ranks;        ///< how many ranks have written rows of a search in tiles
  std::optional<double> read_seconds, write_seconds;
  std::optional<double> read_data_seconds, read_query_seconds;  ///< of each cloud; they may overlap
  std::optional<double> sync_seconds;                           ///< part of write_seconds: fsync and rename
  std::optional<double> answer_seconds, draw_seconds;  ///< of what is made of the neighbours, and of the picture
  std::optional<AnswerFacts> answers;
  std::optional<PictureFacts> picture;
  std::optional<DistanceStatistics> statistics;
  std::optional<Accuracy> accuracy;
  std::optional<Comparison> comparison;
  bool output_written = false, histogram_written = false, picture_written = false;
  std::optional<std::int64_t> job;  ///< its number in a batch
  std::optional<BatchEnd> batch;
  bool is_skipped = false;  ///< the job was left out, since its result exists
  std::vector<std::string> warnings;
  std::optional<Failure> failure;
};

/// The report with a final newline: indented, or one line if it is of a job of a batch. Keys of steps that were not
/// reached are null.
std::string report_json(const Options& options, const Report& report);

/// The part that is stored in the result: what the answer depends on. Device, threads, pipeline and times are left out,
/// so that every device writes the same bytes. Needs `data`, `query` and `search`.
std::string result_meta_json(const Options& options, const Report& report);

}  // namespace kann::cli
