// Points in the order of one shift after the other: keys, a sort and a placing each.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "cuda/order/key_layout.hpp"
#include "cuda/order/place.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/runtime/scratch.hpp"
#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/rank.hpp"

namespace kann::cuda {

/// Orders `count` points. Takes its memory once; one at a time for a run, whose report it uses.
class PointOrder {
 public:
  /// Keys are kept in `scratch`; `later` as in order(), at most k_max_later_shifts. Those of a second later shift are
  /// made ahead only where it has_borrowed memory for them.
  PointOrder(SearchContext& context, std::int64_t count, const Scratch& scratch, int later = 0);

  /// Puts the points of `source`, which come in the order of their index wherever their keys are equal, into d_placed
  /// in the order of (key, index); PlacedPoint::index tells where in `source` a point is. Queued, and timed. The result
  /// is valid until the next call, and right if is_settled() says so of all orders so far.
  /// `later`, no more than the constructor was told of: the shifts of the next calls, whose source is d_placed.
  RankedOrder order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                    std::span<const Shift> later = {});

  /// Queues the question whether what points were sorted by sufficed.
  void ask();

  /// The answer. Blocks until it has come, and not for what was queued after the question. After a no, orders are made
  /// anew by more.
  bool is_settled();

  /// order() until is_settled().
  RankedOrder settled_order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed);

  /// Whether is_settled(), asked now, may find that the next orders can be made in less time.
  bool may_adapt() const { return tries_coarse_bits_ && by_ == By::leading_bits; }

  /// Whether few points share their cells where cells have k_sparse_bits. Between ask() and is_settled() it blocks as
  /// that does; false where no answer tells.
  bool is_sparse();
  static constexpr int k_sparse_bits = 24;

  /// Whether points of one cell are in fine order, as far as it matters.
  bool is_ordered_within_cells() const { return by_ == By::within_cells; }

 private:
  /// What points are sorted by before they are placed: leading bits of the packed keys, few or more; all bits; and on a
  /// fine curve, where many points share a cell, by their coordinates too.
  enum class By { coarse_bits, leading_bits, all_bits, within_cells };

  bool has_few_runs(std::int64_t many);
  KeyLayout layout_of(const Shift& shift) const;
  RankedOrder sort_packed(const Shift& shift, const PointSource& source, PlacedPoint* d_placed,
                          std::span<const Shift> later);
  RankedOrder sort_fully(const Shift& shift, const PointSource& source, PlacedPoint* d_placed);
  std::size_t spare_keys(std::initializer_list<std::size_t> used) const;

  SearchContext& context_;
  const std::int64_t count_;
  const Scratch scratch_;
  By by_;
  bool tries_coarse_bits_;         // if the first order tells that they suffice
  bool may_be_unsettled_ = false;  // an order so far
  bool asked_ = false;             // since the last order

  std::vector<Buffer<std::uint64_t>> keys_;
  std::vector<std::size_t> ahead_;  // which of them are those of the next orders
  KeySorter sorter_;
  PairSorter<std::uint64_t> full_sorter_;  // of no capacity until leading bits did not suffice
};

}  // namespace kann::cuda
