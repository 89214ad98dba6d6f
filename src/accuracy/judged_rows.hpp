// Rows of a result, and the clouds that they are judged by: whole clouds, or the points of larger clouds that the rows
// need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "kann/accuracy.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "accuracy/cloud_facts.hpp"

namespace kann::accuracy {

/// Some points of larger clouds, in the order of those clouds.
struct PartOfClouds {
  CloudFacts of_all;
  std::span<const std::int64_t> data_rows, query_rows;  ///< ascending: their row numbers in the whole clouds

  /// The place of a data point among these; −1 if it is not one of them.
  std::int64_t place_of(std::int64_t data_row) const {
    const auto place = std::ranges::lower_bound(data_rows, data_row);
    return place != data_rows.end() && *place == data_row ? place - data_rows.begin() : -1;
  }
};

struct JudgedRows {
  const Points& data;
  const Points& queries;
  const Neighbors& neighbors;          ///< one row per query
  const Neighbors* stored = nullptr;   ///< the reference; null: the exact neighbours
  const PartOfClouds* part = nullptr;  ///< set if data and queries are only parts of the clouds
};

/// Judges and checks the rows, a sample of them if the options say so. Blocks. @throws as measure_accuracy(), which
/// checks shapes and ids before it calls this.
Accuracy judge_rows(const JudgedRows& rows, const AccuracyOptions& options);

}  // namespace kann::accuracy
