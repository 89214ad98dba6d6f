// Compares rows of a result with the exact ones, or with those of a reference, and adds up what is found.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"

#include "products/accuracy/exact_sum.hpp"
#include "products/accuracy/judged_row.hpp"
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
  std::string first_fault;

  void add(const Tally& other);
};

/// For one thread.
class Judge {
 public:
  /// @param compared the neighbours of a row that the exact row, or the reference, may have
  /// @param tolerance that of a reference
  Judge(const RowRules& rules, std::int64_t compared, double tolerance)
      : rules_(rules), compared_(compared), tolerance_(tolerance) {}

  /// Checks that a row is right by its own definition, and counts it if not.
  void check(const JudgedRow& row);

  /// Compares the row of a valid query with the exact one, whose neighbours are in the order of (d², id).
  void judge(const JudgedRow& row, const std::vector<Nearest>& nearest);

  /// Compares the row of a valid query with that of a reference, unless this expects nothing for it.
  void compare(const JudgedRow& row, const JudgedRow& reference);

  const Tally& tally() const { return tally_; }

 private:
  void set_expected(const std::vector<Nearest>& nearest);
  void add(const JudgedRow& row, const std::vector<Nearest>& nearest);
  bool is_in_order(const JudgedRow& row) const;
  bool is_nearer_than(const JudgedRow& reference, const std::vector<Nearest>& nearest) const;
  bool has_expected_ids(const JudgedRow& row);
  std::int64_t count_correct(const JudgedRow& row, double kth_sq_dist);
  void add_ratios(const JudgedRow& row, const std::vector<Nearest>& nearest);

  const RowRules rules_;
  const std::int64_t compared_;
  const double tolerance_;
  Tally tally_;

  // Memory for one row, reused for the next.
  std::vector<Nearest> stored_, own_;
  std::vector<float> distances_;
  std::vector<std::int64_t> ids_, expected_ids_;
};

}  // namespace kann::accuracy
