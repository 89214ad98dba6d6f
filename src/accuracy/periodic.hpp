// AccuracyOptions::periodic: differences to the nearest image, and the exact answer by them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kann/array.hpp"

#include "accuracy/coordinates.hpp"
#include "accuracy/reference_tree.hpp"

namespace kann::accuracy {

/// The sides of a periodic box, in the scale of the coordinates; 0 for an axis that is not periodic.
struct Sides {
  std::array<double, 3> length{};

  bool any() const { return length[0] > 0 || length[1] > 0 || length[2] > 0; }
  double component(double difference, int axis) const {
    return length[axis] > 0 ? std::remainder(difference, length[axis]) : difference;
  }
  Sides scaled(double factor) const;
};

/// sq_distance() of the nearest image of `point` from `query`.
double sq_distance(const double* query, const double* point, const Sides& sides, int dimensions);

/// Whether d² is that of a periodic box; else as the function above without sides.
inline double sq_distance_in(const double* query, const double* point, const Sides& sides, int dimensions) {
  return sides.any() ? sq_distance(query, point, sides, dimensions) : sq_distance(query, point, dimensions);
}

/// A k-d tree that is searched by every image of a query.
class PeriodicTree {
 public:
  /// Builds the tree over the valid ones of `count` points. Blocks. `data` must outlive it.
  PeriodicTree(const Coordinates& data, std::int64_t count, const Extent& extent, const Sides& sides);
  ~PeriodicTree();

  /// As ReferenceTree::nearest(), by the distances in the box.
  void nearest(const double* query, std::int64_t left_out, std::vector<Nearest>& nearest) const;

  struct Index;

 private:
  std::unique_ptr<const Index> index_;
};

}  // namespace kann::accuracy
