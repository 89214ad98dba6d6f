// The accuracy of a sample of the rows of a search: the data are looked at block by block.
#pragma once

#include <cstdint>

#include "kann/accuracy.hpp"
#include "kann/io.hpp"

#include "base/memory_budget.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::flow {

/// Bytes of the host's memory that it takes to judge so many rows of k neighbours, beside base::program_bytes().
double judging_bytes(std::int64_t rows, std::int64_t k);

/// How many rows can be judged in so many bytes; perhaps 0.
std::int64_t most_judged(double budget, std::int64_t k);

struct SampleCheck {
  const PointSource& data;
  const PointSource* queries;  ///< null: a self-query
  RowBlocks rows;
  std::int64_t query_skipped = 0;  ///< queries that are not valid
  std::int64_t sample = 0;  ///< queries to judge, whose judging_bytes() are in the budget; all, if there are no more
  base::MemoryBudget* memory = nullptr;  ///< is charged with what the check takes; null: nothing is
  std::int64_t block_points = 1 << 16;   ///< points of a cloud that are read at a time
};

/// measure_accuracy() of the sample, whose queries are the same as there; but other rows are not checked. Blocks.
/// @throws Error bad_input, resources, as measure_accuracy() and as check.rows.
Accuracy measure_sample(const SampleCheck& check, const AccuracyOptions& options);

}  // namespace kann::flow
