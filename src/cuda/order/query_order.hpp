// The order that separate queries are taken in.
#pragma once

#include "cuda/order/point_source.hpp"
#include "cuda/order/shift.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Sorts the queries of a run along an unshifted curve, so that neighbouring threads, whose queries are near, read the
/// same candidates. No answer depends on it, so that a few bits do. The queries are not placed, since what fetches them
/// has other work to do while it waits: of 0.2 ms for 2²³ queries, a third is saved.
class QuerySorter {
 public:
  /// Queues the keys, and times them.
  QuerySorter(SearchContext& context, const Shift& curve);

  /// The bits that keys have. Where the data are sparse, sorting by 24 of them does (2²³ uniform points: 0.08 ms less;
  /// a surface's search takes a tenth longer, more than its sort takes less).
  static constexpr int k_key_bits = 32;

  /// Sorts by leading `bits`. Queued, and timed.
  void sort(int bits);

  /// Sorted by all bits: whether more than a sixteenth of the queries share them with eight others or more. Blocks.
  bool are_crowded();

  /// The rows of the sorted queries. Call last.
  Buffer<std::uint32_t> release_rows() { return sorter_.release_indices(); }

 private:
  SearchContext& context_;
  const std::int64_t count_;
  PairSorter<std::uint32_t> sorter_;
};

/// Queries in order: where they come from, or placed.
struct QueryOrder {
  Buffer<std::uint32_t> rows;
  Buffer<PlacedPoint> placed;

  /// The queries, as kernels fetch them.
  PointSequence sequence(const SearchContext& context) const {
    return {{context.d_queries(), placed.data(), context.problem.grid}, rows.data()};
  }
};

/// The queries in order even where they are crowded: those are sorted by all bits, and placed. Queued, and timed;
/// blocks for that word.
QueryOrder order_closely(SearchContext& context, const Shift& curve);

}  // namespace kann::cuda
