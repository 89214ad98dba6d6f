// Points in the order of one shift after the other: keys, a sort and a placing each.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "cuda/order/key_layout.hpp"
#include "cuda/order/place.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/order/report_channel.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/order/sort_depth.hpp"
#include "cuda/order/sorted_points.hpp"
#include "cuda/runtime/scratch.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// An order that was queued. PointOrder::is_complete() says whether it can be used.
struct PendingOrder {
  SortedPoints points;  ///< valid until the next order is queued
  std::optional<PendingReport> report;
};

/// Orders `count` points in any number of shifts, and sorts by more bits where those before did not suffice. Takes its
/// memory once.
class PointOrder {
 public:
  /// Keys are kept in `scratch`. `later_shifts`, at most k_max_later_shifts, are those that a call of order() may name:
  /// the keys of a second one are made ahead only where `scratch` has borrowed memory for them.
  PointOrder(SearchContext& context, std::int64_t count, const Scratch& scratch, int later_shifts = 0);

  /// Puts the points of `source`, which come in the order of their index wherever their keys are equal, into d_placed
  /// in the order of (key, index); PlacedPoint::index is the place of a point in `source`. Queued, and timed.
  /// `later` are the shifts of the next calls, whose source is d_placed. With `reports`, the result says for all orders
  /// since the last complete one whether they are right: a caller may queue several before it asks.
  PendingOrder order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed, bool reports = true,
                     std::span<const Shift> later = {});

  /// Whether the orders up to `pending`, which has a report, are right. Blocks until the report has arrived, and not for
  /// work queued after it. If not, all orders since the last complete one must be queued again.
  bool is_complete(const PendingOrder& pending);

  /// order() until it is complete. Blocks.
  SortedPoints complete_order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed);

  /// Whether the next order's report may show that later orders can be made in less time.
  bool may_coarsen() const { return plan_.may_coarsen(); }

  /// Whether few points share a cell of k_sparse_bits, by the report of `pending`; false where it has none, or where no
  /// such cells were counted. Blocks as is_complete() does, before which it is called.
  bool is_sparse(const PendingOrder& pending) const;
  static constexpr int k_sparse_bits = 24;

  /// Whether the points of crowded cells are in an order of their own (crowded_cell.hpp).
  bool is_ordered_within_cells() const { return plan_.depth == SortDepth::within_cells; }

 private:
  KeyLayout layout_of(const Shift& shift) const;
  SortedPoints sort_packed(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                           std::span<const Shift> later);
  SortedPoints sort_pairs(const Shift& shift, const PointSource& source, PlacedPoint* d_placed);
  std::size_t spare_keys(std::initializer_list<std::size_t> used) const;

  SearchContext& context_;
  const std::int64_t count_;
  const Scratch scratch_;
  SortPlan plan_;
  bool may_be_incomplete_ = false;  // an order since the last complete one
  ReportChannel channel_;

  std::vector<Buffer<std::uint64_t>> keys_;
  std::vector<std::size_t> made_ahead_;  // which of keys_ hold the keys of the next orders
  KeySorter sorter_;
  PairSorter<std::uint64_t> pair_sorter_;  // of no capacity until packed keys do not suffice
};

}  // namespace kann::cuda
