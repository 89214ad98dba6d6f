// The columns that results have of what was computed for the queries.
#pragma once

#include <vector>

#include "kann/attributes.hpp"
#include "kann/io.hpp"

#include "cli/job/query_columns.hpp"
#include "flow/rows/answer.hpp"

namespace kann::cli {

/// The additional arrays of an .npz: attr_NAME, which is float64 unless it was voted for; features; outlier, which is 0
/// or 1.
/// The arguments must outlive them.
std::vector<ColumnBlocks> npz_columns(const QueryColumns& computed, const flow::AnswerBlocks& answer);

/// The attributes that a written cloud of the queries has besides its own: nn_id, nn_distance, mean_distance and
/// density (of more than one neighbour), outlier, features, and the transferred ones in their types: means of whole
/// numbers are rounded, but for colours of LAS, which are scaled to 16 bits.
std::vector<Attribute> cloud_columns(const QueryColumns& computed, const flow::AnswerBlock& block, int threads);

}  // namespace kann::cli
