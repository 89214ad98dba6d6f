// The accuracy of rows that come in blocks; all rows of clouds in memory are a single block.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kann/accuracy.hpp"

#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/judge.hpp"
#include "products/accuracy/judged_clouds.hpp"
#include "products/accuracy/sample.hpp"

namespace kann::accuracy {

class AccuracyOfBlocks {
 public:
  /// @param facts about the whole clouds, which have `dimensions` coordinates
  /// @param queries the number of rows in all blocks
  /// @throws Error usage, as measure_accuracy().
  AccuracyOfBlocks(const CloudFacts& facts, int dimensions, std::int64_t queries, const AccuracyOptions& options);

  /// The clouds of a block of rows, which refer to this object. Shapes must match. Blocks.
  /// @throws Error resources, std::bad_alloc.
  JudgedClouds clouds_of(const JudgedRows& rows) const;

  /// Finds the k smallest (d², id) of a query, ascending, or all if there are fewer. Thread-safe.
  using Truth = std::function<void(std::int64_t query, std::vector<Nearest>& nearest)>;

  /// Judges and checks the rows of a block by the truth, or by their reference if they have one. With a sample, the
  /// blocks must come in the order of their rows. Blocks.
  /// @throws Error bad_input (an id that is not among the data), resources, std::bad_alloc, and what on_progress
  /// throws.
  void add(const JudgedClouds& clouds, const Truth& truth);

  /// The accuracy of all rows that were added; it does not depend on how they were divided into blocks.
  Accuracy result() const;

 private:
  AccuracyOptions options_;
  int threads_;
  Placement placement_;
  std::optional<QuerySample> sample_;  // none: all rows are judged
  std::int64_t queries_;
  std::int64_t queries_done_ = 0;
  Tally total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kann::accuracy
