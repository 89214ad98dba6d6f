// Which points are core points of DBSCAN: those with enough neighbours.
#pragma once

#include <cstdint>

#include "cuda/clusters/point_tree.hpp"

namespace kann::cuda::clusters {

/// Counts as cpu::CorePoints does. All is queued and timed.
template <class T>
class CorePoints {
 public:
  /// Counts the points of `points` themselves. The arguments must outlive this object.
  CorePoints(SearchContext& context, const PointTree<T>& points, const WithinRadius& within, std::int64_t enough);

  /// Counts the points of another tree, too.
  void add(const PointTree<T>& others);

  /// Marks those that are core points. Blocks.
  void mark(problem::PointFlags& is_core) const;

 private:
  void count_in(const PointTree<T>& others, bool are_own);

  SearchContext& context_;
  const PointTree<T>& points_;
  const WithinRadius within_;
  const std::int64_t enough_;
  Buffer<std::int64_t> counts_;  // in the order of the tree; not all of those that reach enough_
};

}  // namespace kann::cuda::clusters
