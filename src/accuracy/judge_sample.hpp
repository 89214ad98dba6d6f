// The accuracy of some rows of a result, where the data do not fit in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/points.hpp"

#include "accuracy/cloud_facts.hpp"
#include "accuracy/needed_points.hpp"

namespace kann::accuracy {

/// Rows of a result with their queries, which are valid.
struct SampledRows {
  Points queries;
  std::vector<std::int64_t> numbers;  ///< of the queries, ascending
  std::int64_t k = 0;
  std::vector<std::int64_t> ids;  ///< row-major, k of each query
  std::vector<float> distances;
};

/// Compares the rows with the exact ones as measure_accuracy() does with a sample of them, but checks no others. What
/// it says is the same as by all of the data, if `points` have what NeededPoints finds in these; in any order, perhaps
/// more than once. Blocks. @param options their sample is not looked at
/// @throws as measure_accuracy(); bad_input, too: a row has an id that is none of the points.
Accuracy judge_sample(const SampledRows& rows, std::vector<NumberedPoint> points, const CloudFacts& of_all,
                      const AccuracyOptions& options);

/// Bytes of memory for each query of a sample, for its row, NeededPoints and judge_sample() together.
double sample_bytes_per_query(std::int64_t k);

}  // namespace kann::accuracy
