// Compares one row of a result with the exact one.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "accuracy/reference_tree.hpp"
#include "accuracy/tolerance.hpp"

namespace kann::accuracy {

/// Sums over judged rows.
struct Tally {
  std::int64_t judged = 0, all_correct = 0;  ///< rows
  std::int64_t expected = 0, correct = 0;    ///< neighbours
  double ratio_sum = 0;                      ///< sum of returned / exact distance …
  std::int64_t ratios = 0;                   ///< … over this many neighbours

  void add(const Tally& other);
};

class Judge {
 public:
  /// Builds the exact reference; blocks. The arguments have matching shapes and outlive this object. With `drop_self`,
  /// query i is point i of the data and is not its own neighbour. @throws Error resources.
  Judge(const Points& data, const Points& queries, const Neighbors& neighbors, bool drop_self);

  /// Whether all coordinates of the query are finite.
  bool is_valid(std::int64_t query) const;

  /// Memory for one row, reused for the next.
  struct Scratch {
    std::vector<double> exact_sq_distances;
    std::vector<std::int32_t> correct_ids;
  };

  /// Adds the row of `query` to `tally`, unless the query is invalid. Thread-safe.
  void judge(std::int64_t query, Scratch& scratch, Tally& tally) const;

 private:
  bool is_finite(const double* point) const;
  Array<double> scaled(const Points& data) const;
  Array<std::uint32_t> valid_rows() const;
  std::int64_t count_correct(std::int64_t query, std::int64_t own, const double* point, double kth_sq_dist,
                             std::vector<std::int32_t>& ids) const;
  void add_ratios(std::int64_t query, const std::vector<double>& exact_sq_distances, Tally& tally) const;

  const Points& queries_;
  const Neighbors& neighbors_;
  bool drop_self_;
  int dimensions_;
  JudgeScale scale_;
  Array<double> coordinates_;  ///< of all the data, scaled
  Array<std::uint32_t> rows_;  ///< the valid rows of the data; empty: all are valid
  ReferenceTree tree_;
};

}  // namespace kann::accuracy
