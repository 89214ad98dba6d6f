// The nearest core points of points that are none.
#pragma once

#include <cstdint>

#include "cuda/clusters/point_tree.hpp"

namespace kann::cuda::clusters {

/// The nearest core point of a point that is none.
struct NearestCore {
  double sq_dist;
  std::int64_t number;  ///< −1: there is none within the radius
};

/// Finds as cpu::find_nearest_cores() does. Timed.
template <class T>
class NearestCores {
 public:
  /// The arguments must outlive this object.
  NearestCores(SearchContext& context, const PointTree<T>& points, const WithinRadius& within);

  /// Looks for core points in a tree, beside those before. Blocks until their numbers have been read.
  void add(const PointTree<T>& cores);

  /// Makes them the parents of the points. Blocks.
  void put_into(problem::DisjointSets& sets) const;

 private:
  SearchContext& context_;
  const PointTree<T>& points_;
  const WithinRadius within_;
  Buffer<NearestCore> nearest_;  // in the order of the tree
};

}  // namespace kann::cuda::clusters
