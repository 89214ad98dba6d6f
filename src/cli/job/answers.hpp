// What a job computes from the neighbours: outlier flags, attributes of the data at the queries, and the columns that
// results have of them.
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

/// The clouds of a search, and its rows. All must outlive the answers.
struct SearchedClouds {
  const Cloud &data, &queries;
  const Neighbors& neighbors;
};

/// An attribute of the data, transferred to the queries.
struct Transferred {
  Attribute attribute;    ///< has the type that transfer() gives
  TransferMethod method;  ///< the method of --by, unless transfer_method() chose another
  TransferMethod asked;   ///< the method of --by
  TransferSource from;    ///< the attribute of the data
};

struct Answers {
  std::optional<OutlierResult> outliers;
  std::vector<Transferred> transferred;
  std::int64_t without_neighbors = 0, singular = 0, by_distance = 0, nan_values = 0;  ///< as in TransferResult
};

/// Computes what the options ask for. Blocks. @throws Error as transfer() and find_outliers().
Answers make_answers(const Options& options, const SearchedClouds& clouds, int threads);

/// The facts about the answers for the report, and the warnings about these facts.
AnswerFacts facts_of(const Options& options, const Answers& answers);
std::vector<std::string> warnings_of(const Options& options, const AnswerFacts& facts, std::int64_t queries);

/// The additional arrays of an .npz: attr_NAME, which is float64 unless it was voted for; outlier, which is 0 or 1.
std::vector<Attribute> npz_extras(const Answers& answers, const Neighbors& neighbors);

/// The attributes that a written cloud of the queries has besides its own: nn_id, nn_distance, mean_distance, density,
/// the transferred ones, in their types (means of whole numbers are rounded), and outlier.
std::vector<Attribute> cloud_columns(const Answers& answers, const Neighbors& neighbors, int dimensions, int threads);

}  // namespace kann::cli
