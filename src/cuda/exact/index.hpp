// Data that are ready for an exact search: an order of them, and boxes over it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cuda/exact/box_tree.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/order/curve_order.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// A search for `count` of the queries of `context` in the points of a tree, which are the data of its problem. The
/// search has no keys of the tree's points, as Search::d_data_keys says.
template <class Real>
Search<Real> search_over(const SearchContext& context, const BoxTreeView<Real>& tree, const PointSequence& queries,
                         std::int64_t count);

/// Real is the type of the coordinates as they were given: double if Problem::is_rounded().
template <class Real>
class Index {
 public:
  /// Queued and timed; blocks until the order is complete. The context's workspace must outlive the index; the context
  /// need not. @param order of the data, which an index of another Real has; null: there is none yet
  explicit Index(SearchContext& context, std::shared_ptr<const CurveOrder> order = nullptr);

  const std::shared_ptr<const CurveOrder>& order() const { return order_; }
  const PlacedPoint* d_placed() const { return tree_->view().d_points; }

  /// As search_over(), for the points of this index. Queries along its curve find their places by the keys.
  Search<Real> search_for(const SearchContext& context, const PointSequence& queries, std::int64_t count) const;

 private:
  std::shared_ptr<const CurveOrder> order_;
  Buffer<GivenPoint> given_;  // the points as they were given, if Real is double
  std::optional<BoxTree<Real>> tree_;
};

}  // namespace kann::cuda::exact
