// Exact distances to the nearest points, in double, by nanoflann: a witness that shares nothing with the search.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace kann::accuracy {

class ReferenceTree {
 public:
  /// Builds a k-d tree over the points `rows` of row-major `coordinates` of 2 or 3 dimensions; over all of them when
  /// `rows` is empty. Blocks. Both must outlive the tree, and the coordinates of its points be finite.
  ReferenceTree(std::span<const double> coordinates, int dimensions, std::span<const std::uint32_t> rows);
  ~ReferenceTree();

  /// The squared distances from `query` to its nearest points, row `left_out` (−1: none) not among them, ascending: as
  /// many as `sq_distances` has room for, and no more than there are points to find. They are exact to 10⁻¹².
  /// Thread-safe.
  void nearest(const double* query, std::int64_t left_out, std::span<double> sq_distances) const;

  struct Index;  // defined where nanoflann is known

 private:
  std::unique_ptr<const Index> index_;
};

}  // namespace kann::accuracy
