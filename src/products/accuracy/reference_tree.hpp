// The exact answer, the k smallest (d², id), found by nanoflann; it shares no code with the search that it checks.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>

#include "kann/groups.hpp"

#include "products/accuracy/distinct_points.hpp"

namespace kann::accuracy {

/// A neighbour. Of two, the one with the smaller (d², id) is nearer.
struct Nearest {
  double sq_dist = 0;
  std::int32_t id = 0;

  auto operator<=>(const Nearest&) const = default;
};

/// The data points that are no neighbours of a query.
struct LeftOut {
  std::int64_t own = -1;                      ///< the query itself, as a data point; −1: it is none, or it may be one
  std::span<const std::int64_t> labels = {};  ///< of the data, as Groups has them; empty: there are no groups
  std::int64_t label = -1;                    ///< of the query
  GroupRule rule = GroupRule::same;

  bool has(std::int64_t id) const {
    if (id == own) return true;
    if (labels.empty()) return false;
    const std::int64_t of_id = labels[static_cast<std::size_t>(id)];
    return label < 0 || of_id < 0 || (of_id == label) != (rule == GroupRule::same);
  }
};

class ReferenceTree {
 public:
  /// Builds a k-d tree over `points` of 2 or 3 dimensions, which must outlive the tree. Blocks.
  ReferenceTree(const DistinctPoints& points, int dimensions);
  ~ReferenceTree();

  /// Fills `nearest` with the smallest (sq_distance(), id) around `query`, ascending, of the points that are not
  /// `left_out`, of which the tree must have enough. Thread-safe.
  void nearest(const double* query, const LeftOut& left_out, std::span<Nearest> nearest) const;

  struct Index;  // defined in the source file, which includes nanoflann

 private:
  std::unique_ptr<const Index> index_;
};

}  // namespace kann::accuracy
