// Data that are ready for an exact search: an order of them, and boxes over it.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/exact/box_tree.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/order/ordered_keys.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// A search of `context`, of `count` queries in the points of a tree, which are its problem's data. The order of the
/// tree's points has no keys: the caller sets Search::d_places, or d_found, where a search asks for them.
template <class Real>
Search<Real> search_over(const SearchContext& context, const BoxTreeView<Real>& tree, const PointSequence& queries,
                         std::int64_t count);

/// Real is the type of the coordinates as they were given: double if Problem::is_rounded().
template <class Real>
class Index {
 public:
  /// Orders the data along the Hilbert curve. Queued and timed; blocks until the order is complete. The context's
  /// workspace must outlive the index; the context need not.
  explicit Index(SearchContext& context);

  /// Over an order that there is, in which neighbours are near each other; it must outlive the index. Queued and timed.
  Index(SearchContext& context, const PlacedPoint* d_placed);

  const PlacedPoint* d_placed() const { return tree_->view().d_points; }

  /// As search_over() has it. Queries along the curve of a new order
  /// find their places in it; for others, the caller sets Search::d_places, or d_found.
  Search<Real> search_for(const SearchContext& context, const PointSequence& queries, std::int64_t count) const;

 private:
  void grow(SearchContext& context, const PlacedPoint* d_placed);

  Buffer<PlacedPoint> placed_;        // if the order is new
  std::optional<OrderedKeys> order_;  // likewise
  Buffer<GivenPoint> given_;          // the points as they were given, if Real is double
  std::optional<BoxTree<Real>> tree_;
};

}  // namespace kann::cuda::exact
