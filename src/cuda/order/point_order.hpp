// Puts points in the order of one shift after another. The steps for each shift are encode (encode.hpp), sort
// (sort.hpp) and place (place.hpp).
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
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// An order whose work is queued. It can be used if PointOrder::is_complete().
struct PendingOrder {
  SortedPoints points;  ///< valid until the next order is queued
  std::optional<PendingReport> report;
};

/// Orders `count` points in any number of shifts. After an incomplete order, it sorts by more bits. Allocates memory
/// when it is made and, once, when packed keys do not suffice.
class PointOrder {
 public:
  /// `later_shifts` ≤ k_max_later_shifts is the maximum number of shifts that a
  /// call of order() passes as `later`.
  PointOrder(SearchContext& context, std::int64_t count, int later_shifts = 0);

  /// Writes the points of `source` to d_placed in the order of (key, place in `source`); PlacedPoint::index is that
  /// place. Queued and timed. `later` are the shifts of the next calls, whose source is d_placed. With `reports`, the
  /// result has a report on all orders since the last complete one, so that several can be queued before the first
  /// is_complete().
  PendingOrder order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed, bool reports = true,
                     std::span<const Shift> later = {});

  /// Whether the orders up to `pending` are complete; true if it has no report. Blocks as PendingReport::get(). If
  /// false, all orders since the last complete one must be queued again.
  bool is_complete(const PendingOrder& pending);

  /// Whether the next order's report may show that later orders can be made in less time.
  bool may_coarsen() const { return plan_.may_coarsen(); }

  /// Whether few points share a cell of k_sparse_bits, by the report of `pending`; false if it has none, or did not
  /// count such cells. Blocks as is_complete(), and must be called before it.
  bool is_sparse(const PendingOrder& pending) const;
  static constexpr int k_sparse_bits = 24;

  /// The keys of the order that was queued last, which outlive this. Orders that are queued later have other memory.
  OrderedKeys take_keys(const SortedPoints& points);

 private:
  KeyLayout layout_of(const Shift& shift) const;
  SortedPoints sort_packed(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                           std::span<const Shift> later);
  SortedPoints sort_pairs(const Shift& shift, const PointSource& source, PlacedPoint* d_placed);
  std::size_t spare_keys(std::initializer_list<std::size_t> used);

  SearchContext& context_;
  const std::int64_t count_;
  SortPlan plan_;
  bool may_be_incomplete_ = false;  // whether any order since the last complete one may be so
  ReportChannel channel_;

  std::vector<Buffer<std::uint64_t>> keys_;
  std::vector<std::size_t> made_ahead_;  // indices in keys_ of the keys of the next orders
  KeySorter sorter_;
  PairSorter<std::uint64_t> pair_sorter_;  // its capacity is 0 as long as packed keys suffice
};

}  // namespace kann::cuda
