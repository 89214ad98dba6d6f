// kann::compare() for results that do not fit in memory: their rows come in blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kann/accuracy.hpp"
#include "kann/points.hpp"

#include "products/accuracy/accuracy_of_blocks.hpp"
#include "products/accuracy/cloud_facts.hpp"

namespace kann::accuracy {

/// Refuses a reference of so many rows that does not have one for each query. @throws Error bad_input.
void check_reference_rows(std::int64_t rows, std::int64_t queries, const std::string& name);

/// Refuses rows of k ids each, the first of which has the number `first`, as check_reference() does. @throws Error
/// bad_input.
void check_reference_ids(std::span<const std::int64_t> ids, std::int64_t k, std::int64_t first, std::int64_t points,
                         const std::string& name);

/// The sizes of what is compared.
struct ComparisonShape {
  int dimensions = 3;
  std::int64_t points = 0;                  ///< all data points, with those that are not valid
  std::int64_t queries = 0;                 ///< all rows of the result, and of the reference
  std::int64_t k = 0;                       ///< neighbours in a row of the result
  std::int64_t reference_k = 0;             ///< neighbours in a row of the reference
  std::string reference = "the reference";  ///< its name in messages
};

/// The rows of consecutive queries. Ids are row numbers in the whole data, or k_missing_id.
struct ComparedRows {
  std::int64_t first = 0;                       ///< number of the first query
  PointsView queries;                           ///< a point per row
  std::span<const std::int64_t> ids;            ///< of the result, k per query
  std::span<const float> distances;             ///< of the result, k per query
  std::span<const std::int64_t> reference_ids;  ///< reference_k per query
  std::span<const std::int64_t> data_rows;      ///< row numbers of `data` in the whole data, ascending
  PointsView data;                              ///< points of the data: at least all that the ids name
};

class BlockComparison {
 public:
  /// @param facts about the whole clouds; in a self-query, the queries are the data
  /// @throws Error usage and bad_input, as compare().
  BlockComparison(const CloudFacts& facts, ComparisonShape shape, const AccuracyOptions& options);

  /// Compares rows. Each row is to be added once; with AccuracyOptions::sample, in order. Memory: row_bytes(), and in a
  /// periodic box 8 bytes per coordinate of the points and queries. on_progress is called with the fraction of all
  /// queries. Blocks.
  /// @throws Error bad_input (an id that is no point of the data or not in `data_rows`, or is twice in a row of the
  ///         reference), resources (memory, more than 2³¹ − 1 points in `data`), internal (spans that do not match),
  ///         and what on_progress throws.
  void add(const ComparedRows& rows);

  /// What compare() returns for all rows that were added, to the last bit, but for `seconds`.
  Accuracy result() const { return accuracy_.result(); }

  /// Bytes of memory per row: its place among the rows and in their spatial order, which is sorted; both rows with the
  /// places of their points.
  static double row_bytes(double k, double reference_k) { return 24 + 8 * k + 4 * reference_k; }

 private:
  ComparisonShape shape_;
  AccuracyOfBlocks accuracy_;
  int threads_;
};

}  // namespace kann::accuracy
