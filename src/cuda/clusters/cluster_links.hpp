// Unites core points within a radius of each other.
#pragma once

#include <cstdint>

#include "cuda/clusters/point_tree.hpp"

namespace kann::cuda::clusters {

/// Unites as cpu::ClusterLinks does, but in sets of its own, of the places in its tree: `sets` gets those that the
/// points of a tree are in. Timed.
template <class T>
class ClusterLinks {
 public:
  /// Unites the points of `cores`; queued. The arguments must outlive this object.
  ClusterLinks(SearchContext& context, const PointTree<T>& cores, const WithinRadius& within,
               problem::DisjointSets& sets);

  /// Unites them with the core points of another tree. Blocks.
  void add(const PointTree<T>& others);

  /// Unites in `sets` what is in one set here. Blocks.
  void finish();

 private:
  void unite_in_sets(const PointTree<T>& points, std::uint32_t first);

  SearchContext& context_;
  const PointTree<T>& cores_;
  const WithinRadius within_;
  problem::DisjointSets& sets_;
  Buffer<std::uint32_t> forest_;  // its first numbers are those of cores_; all of their parents are such numbers
};

}  // namespace kann::cuda::clusters
