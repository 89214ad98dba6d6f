// The accuracy of rows that come in blocks; all rows of clouds in memory are a single block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kann/accuracy.hpp"

#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/judge.hpp"
#include "products/accuracy/judged_rows.hpp"
#include "products/accuracy/periodic.hpp"
#include "products/accuracy/sample.hpp"

namespace kann::accuracy {

class AccuracyOfBlocks {
 public:
  /// @param facts about the whole clouds, which have `dimensions` coordinates
  /// @param queries the number of rows in all blocks
  /// @throws Error usage, as measure_accuracy().
  AccuracyOfBlocks(const CloudFacts& facts, int dimensions, std::int64_t queries, const AccuracyOptions& options);

  /// Judges and checks the rows of a block. Shapes and ids must match. With a sample, the blocks must come in the order
  /// of their rows. Blocks. @throws Error resources, std::bad_alloc, and what on_progress throws.
  void add(const JudgedRows& rows);

  /// The accuracy of all rows that were added; it does not depend on how they were divided into blocks.
  Accuracy result() const;

 private:
  AccuracyOptions options_;
  int threads_;
  Sides sides_;
  Extent data_as_given_;
  CloudFacts facts_;                   // about the clouds where they are judged
  std::optional<QuerySample> sample_;  // none: all rows are judged
  std::int64_t queries_;
  std::int64_t queries_done_ = 0;
  Tally total_;  // with row numbers in the whole result
  std::string first_fault_;
  double seconds_ = 0;
};

}  // namespace kann::accuracy
