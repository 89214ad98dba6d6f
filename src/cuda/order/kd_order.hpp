// Points in the order of a k-d tree, for clouds in which many points share a cell of any grid: halves of halves of the
// points, each divided where its box is widest (Friedman, Bentley and Finkel 1977).
#pragma once

#include <cstdint>

#include "cuda/order/point_source.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Where a range of points is divided: points of the second half have `value` or more on this axis, and those of the
/// first half have no more. The axis is as wide as the value, so that no byte is padding.
struct KdNode {
  double value;
  std::int64_t axis;
};

/// The tree, as kernels read it. Node 1 is the root, and nodes 2·i and 2·i + 1 are the halves of node i.
struct KdTreeView {
  const KdNode* d_nodes = nullptr;  ///< null: there is no tree
  std::int64_t count = 0;           ///< points
  int levels = 0;
  bool is_given = false;  ///< whether points were compared as they were given; else in the frame

  /// The first place of a half at a level.
  KANN_HOST_DEVICE std::int64_t begin(std::int64_t half, int level) const { return half * count >> level; }

#ifdef __CUDACC__
  /// The first place of the leaf that a point falls into. Called by one thread.
  template <class Coordinate>
  __device__ __forceinline__ std::int64_t place_of(const Coordinate* axes) const {
    std::int64_t node = 1;
    for (int level = 0; level < levels; ++level)
      node = 2 * node + (static_cast<double>(axes[d_nodes[node].axis]) >= d_nodes[node].value);
    return begin(node - (std::int64_t{1} << levels), levels);
  }
#endif
};

/// The tree over the points of a source, which are its rows.
class KdOrder {
 public:
  /// Queues the work, and times it: 2²⁰ points take 2 ms, a sort for each of 15 levels. `sorter` has the rows in any
  /// order, and then in that of the tree.
  KdOrder(SearchContext& context, const PointSource& source, int dimensions, std::int64_t count,
          PairSorter<std::uint64_t>& sorter);

  KdTreeView view() const { return view_; }

 private:
  KdTreeView view_;
  Buffer<KdNode> nodes_;
};

/// d_keys[i] = the first place of the leaf that row i of `source` falls into, and d_rows[i] = i. Queued on `stream`.
void keys_in_tree(const KdTreeView& tree, const PointSource& source, int dimensions, std::int64_t count,
                  std::uint32_t* d_keys, std::uint32_t* d_rows, cudaStream_t stream);

}  // namespace kann::cuda
