// What is made of the neighbours: outlier flags, attributes of the data at the queries, and columns of them for
// results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"
#include "kann/outliers.hpp"
#include "kann/points.hpp"
#include "kann/transfer.hpp"

#include "cli/job/wanted_attributes.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// The clouds of a search, and its rows. All outlive the answers.
struct SearchedClouds {
  const Cloud &data, &queries;
  const Neighbors& neighbors;
};

/// An attribute of the data at the queries.
struct Transferred {
  Attribute attribute;    ///< of the type that transfer() gives
  TransferMethod method;  ///< as asked, unless transfer_method() chose another
  TransferMethod asked;   ///< as --by has it
  TransferSource from;    ///< that of the data
};

struct Answers {
  std::optional<OutlierResult> outliers;
  std::vector<Transferred> transferred;
  std::int64_t without_neighbors = 0, singular = 0, by_distance = 0, nan_values = 0;  ///< as in TransferResult
};

/// Makes what the options ask for. Blocks. @throws Error as transfer() and find_outliers().
Answers make_answers(const Options& options, const SearchedClouds& clouds, int threads);

/// What the report says of them, and what is to be said of that.
AnswerFacts facts_of(const Options& options, const Answers& answers);
std::vector<std::string> warnings_of(const Options& options, const AnswerFacts& facts, std::int64_t queries);

/// The arrays of an .npz: attr_NAME, float64 unless it was voted for; outlier, 0 or 1.
std::vector<Attribute> npz_extras(const Answers& answers, const Neighbors& neighbors);

/// What a cloud of the queries has besides its own attributes: nn_id, nn_distance, mean_distance, density, those of the
/// data, in their types (means of whole numbers are rounded), and outlier.
std::vector<Attribute> cloud_columns(const Answers& answers, const Neighbors& neighbors, int dimensions, int threads);

}  // namespace kann::cli
