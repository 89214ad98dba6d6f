// Compares one row of a result with the exact one.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/neighbors.hpp"

#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/distinct_points.hpp"
#include "products/accuracy/exact_sum.hpp"
#include "products/accuracy/judged_rows.hpp"
#include "products/accuracy/periodic.hpp"
#include "products/accuracy/reference_tree.hpp"
#include "products/accuracy/row_check.hpp"

namespace kann::accuracy {

/// Sums over rows.
struct Tally {
  static constexpr std::int64_t k_none = std::numeric_limits<std::int64_t>::max();

  std::int64_t judged = 0, all_correct = 0, identical = 0;  ///< rows
  std::int64_t expected = 0, correct = 0;                   ///< neighbours
  ExactSum ratio_sum;                                       ///< sum of returned / exact distance …
  std::int64_t ratios = 0;                                  ///< … over this many neighbours
  std::int64_t faulty = 0;                                  ///< rows that are wrong by their own definition
  std::int64_t nearer = 0;                                  ///< rows, as Accuracy::nearer
  std::int64_t first_nearer = k_none;
  std::int64_t first_different = k_none;  ///< the first judged row that is not identical
  std::int64_t first_faulty = k_none;

  void add(const Tally& other);
};

class Judge {
 public:
  /// Builds the exact reference, unless one is stored; blocks. The rows have matching shapes, and outlive this object.
  /// With `sides`, both clouds must be PlacedPoints. @param facts about the whole clouds, with boxes that hold all of
  /// their points where they are placed. @throws Error resources, std::bad_alloc.
  Judge(const JudgedRows& rows, const CloudFacts& facts, const AccuracyOptions& options, const Sides& sides,
        int threads);

  const Coordinates& queries() const { return rules_.queries; }
  Extent query_extent() const { return query_extent_.scaled(scale_); }

  /// Memory for one row, reused for the next.
  struct Scratch {
    std::vector<Nearest> nearest, own;
    std::vector<float> distances;
    std::vector<std::int32_t> ids, reference_ids;
  };

  /// Checks that the row of `query` is right by its own definition, and counts it in `tally` if not. Thread-safe.
  void check(std::int64_t query, Scratch& scratch, Tally& tally) const;

  /// Describes what is wrong with a row that check() counts as faulty.
  std::string describe_fault(std::int64_t query) const;

  /// Adds the comparison of the row of `query` with the exact one to `tally`, unless the query is invalid, or the
  /// stored reference expects nothing for it. Thread-safe.
  void judge(std::int64_t query, Scratch& scratch, Tally& tally) const;

 private:
  void find_reference(std::int64_t query, const double* point, Scratch& scratch) const;
  void find_stored(const Neighbors& neighbors, std::int64_t query, std::int64_t count,
                   std::vector<Nearest>& nearest) const;
  bool is_nearer_than_reference(std::int64_t query, Scratch& scratch) const;
  bool is_reference_in_order(std::int64_t query, const Scratch& scratch) const;
  bool has_reference_ids(std::int64_t query, Scratch& scratch) const;
  std::int64_t count_correct(std::int64_t query, const double* point, double kth_sq_dist,
                             std::vector<std::int32_t>& ids) const;
  void add_ratios(std::int64_t query, const std::vector<Nearest>& nearest, Tally& tally) const;

  Extent data_extent_, query_extent_;
  double scale_;           ///< the scale of all coordinates and distances except in `stored_`
  DistinctPoints points_;  ///< of the data, for the tree; none if a reference is stored
  RowRules rules_;
  const Neighbors* stored_;  ///< null: the tree is the reference
  double tolerance_;         ///< tolerance for a stored reference
  std::int64_t compared_;    ///< neighbours per query that the reference may have
  std::optional<ReferenceTree> tree_;
};

}  // namespace kann::accuracy
