// Rows of a result, and the clouds that they are judged by: whole ones, or what the rows need of larger ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "kann/accuracy.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "accuracy/cloud_facts.hpp"

namespace kann::accuracy {

/// Points of larger clouds, in the order that they have there.
struct PartOfClouds {
  CloudFacts of_all;
  std::span<const std::int64_t> data_rows, query_rows;  ///< ascending: their row numbers in the whole clouds

  /// The place of a point of the data among these; −1 if it is not one of them.
  std::int64_t place_of(std::int64_t data_row) const {
    const auto place = std::ranges::lower_bound(data_rows, data_row);
    return place != data_rows.end() && *place == data_row ? place - data_rows.begin() : -1;
  }
};

struct JudgedRows {
  const Points& data;
  const Points& queries;
  const Neighbors& neighbors;          ///< one row per query
  const Neighbors* stored = nullptr;   ///< the reference; null: the exact neighbours are
  const PartOfClouds* part = nullptr;  ///< if data and queries are not all: those that these rows need
};

/// Judges and checks the rows, a sample of them if the options say so. Blocks. @throws as measure_accuracy(), which
/// looks at shapes and ids before.
Accuracy judge_rows(const JudgedRows& rows, const AccuracyOptions& options);

}  // namespace kann::accuracy
