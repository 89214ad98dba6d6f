// Compares rows of a result with the exact ones, or with those of a reference, and adds up what is found.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"

#include "products/accuracy/exact_sum.hpp"
#include "products/accuracy/judged_row.hpp"
#include "products/accuracy/written_distance.hpp"

namespace kann::accuracy {

/// The first fault of a row: its kind and rank.
struct RowFault {
  enum class Kind {
    not_padded,      ///< a missing neighbour (id −1) whose distance is not infinite
    after_missing,   ///< a neighbour after a missing one
    too_few,         ///< a missing neighbour although the row is exact and there are more points
    skipped_query,   ///< a neighbour of an invalid query
    own_id,          ///< the query itself in a self-query without it
    wrong_group,     ///< a point that the groups do not allow
    skipped_point,   ///< an invalid point as a neighbour
    repeated,        ///< an id twice
    wrong_distance,  ///< a distance that does not belong to the id
    not_ascending,   ///< a distance below the one before
    beyond_radius,   ///< a neighbour that is farther than the radius
  };
  Kind kind;
  std::int64_t rank;
};

/// What the rows of a result must satisfy.
struct RowRules {
  bool exact = false;       ///< distances are right bit for bit, and all neighbours are there
  bool has_radius = false;  ///< how many neighbours there should be is not known here
  bool has_images = false;  ///< a point may be there more than once, each time by another image
  WrittenUnit unit;
};

/// The first fault of a row. `ids` is memory, reused for the next row. Thread-safe.
std::optional<RowFault> check_row(const JudgedRow& row, const RowRules& rules, std::vector<std::int64_t>& ids);

/// "rank 3: distance 2 of id 17 (need 1.5)"
std::string describe(const RowFault& fault, const JudgedRow& row, const RowRules& rules);

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
