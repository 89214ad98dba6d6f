// Measures the accuracy of some rows of a result when the data do not fit in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/points.hpp"

#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/needed_points.hpp"

namespace kann::accuracy {

/// Rows of a result, with their queries, all of which are valid.
struct SampledRows {
  Points queries;
  std::vector<std::int64_t> numbers;  ///< numbers of the queries, ascending
  std::int64_t k = 0;
  std::vector<std::int64_t> ids;  ///< row-major, k per query
  std::vector<float> distances;
};

/// Compares the rows with the exact ones as measure_accuracy() does with a sample of them, but checks no other rows.
/// The result is the same as with all of the data, if `points` contain what NeededPoints finds in the data, in any
/// order and possibly more than once. Blocks. @param options `sample` is ignored
/// @throws as measure_accuracy(), and bad_input if a row has an id that is not among the points.
Accuracy judge_sample(const SampledRows& rows, std::vector<NumberedPoint> points, const CloudFacts& of_all,
                      const AccuracyOptions& options);

/// Bytes of memory per query of a sample: for its row, NeededPoints and judge_sample() together.
double sample_bytes_per_query(std::int64_t k);

}  // namespace kann::accuracy
