// How good an approximate answer is, measured on a sample of its queries.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kann/array.hpp"

#include "problem/problem.hpp"

namespace kann::detail {

/// Queries of an approximate search that are also searched exactly, in the same data.
class RecallSample {
 public:
  /// Chooses queries of `problem`, and searches them by `solve`, which solves an exact problem of the same data.
  /// Blocks.
  RecallSample(const problem::Problem& problem, const std::function<problem::Answer(const problem::Problem&)>& solve);

  /// Compares the exact rows with those of the approximate search for the same problem. With a radius, keep_within()
  /// must have been applied to `rows`; the rows of the sample are shortened here.
  Sample recall(const problem::Problem& problem, const Neighbors& rows, std::optional<double> radius) const;

  double seconds() const { return seconds_; }

 private:
  std::vector<std::int64_t> queries_;  // numbers of queries, ascending
  Neighbors exact_;                    // a row for each of them
  double seconds_ = 0;
};

}  // namespace kann::detail
