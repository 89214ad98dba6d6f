// The exact answer, the k smallest (d², id), found by nanoflann; it shares no code with the search that it checks.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>

#include "products/accuracy/distinct_points.hpp"

namespace kann::accuracy {

/// A neighbour. Of two, the one with the smaller (d², id) is nearer.
struct Nearest {
  double sq_dist = 0;
  std::int32_t id = 0;

  auto operator<=>(const Nearest&) const = default;
};

class ReferenceTree {
 public:
  /// Builds a k-d tree over `points` of 2 or 3 dimensions, which must outlive the tree. Blocks.
  ReferenceTree(const DistinctPoints& points, int dimensions);
  ~ReferenceTree();

  /// Fills `nearest` with the smallest (sq_distance(), id) around `query`, ascending. The point with the id `left_out`
  /// is excluded (−1: none). The tree must have enough points. Thread-safe.
  void nearest(const double* query, std::int64_t left_out, std::span<Nearest> nearest) const;

  struct Index;  // defined in the source file, which includes nanoflann

 private:
  std::unique_ptr<const Index> index_;
};

}  // namespace kann::accuracy
