// Exact distances to the nearest points, in double, by nanoflann; shares no code with the search that it checks.
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

  /// Fills `sq_distances` with the squared distances from `query` to its nearest points, ascending, with a relative
  /// error of at most 10⁻¹². Row `left_out` is excluded (−1: none). There must be as many points. Thread-safe.
  void nearest(const double* query, std::int64_t left_out, std::span<double> sq_distances) const;

  struct Index;  // defined in the source file, which includes nanoflann

 private:
  std::unique_ptr<const Index> index_;
};

}  // namespace kann::accuracy
