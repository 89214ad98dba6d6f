// Points that are near each other, near each other in memory: along the Hilbert curve or, if many of them share its
// cells, in a k-d tree. No answer depends on this order, so that it need not be complete.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cuda/order/kd_order.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/order/shift.hpp"
#include "cuda/order/sort_depth.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// An order of data, and what a search for places in it reads.
class CurveOrder {
 public:
  /// Puts `count` rows of `source` in order, first by the leading bits of their codes, and by more if more than a few
  /// points share these. Queued and timed; blocks until it is known by how many.
  CurveOrder(SearchContext& context, const PointSource& source, int dimensions, std::int64_t count);

  /// An order that is made, by keys whose bits are not those of the curve alone.
  CurveOrder(int dimensions, Buffer<PlacedPoint> points, Buffer<std::uint64_t> keys_of_points)
      : placed(std::move(points)), keys(std::move(keys_of_points)), curve(hilbert_curve(dimensions)) {}

  Buffer<PlacedPoint> placed;
  Buffer<std::uint64_t> keys;   ///< of these points, ascending
  int key_bit = 0;              ///< the bits of a key from here on are leading bits of a code, …
  Shift curve{};                ///< … as many as this curve compares
  std::optional<KdOrder> tree;  ///< has the order, in place of the keys
  SortDepth of_queries{};       ///< by how much queries are to be sorted that are searched in these data

 private:
  OrderReport sort_packed(SearchContext& context, const PointSource& source, std::int64_t count, SortDepth depth);
  OrderReport sort_pairs(SearchContext& context, const PointSource& source, std::int64_t count, SortDepth depth);
};

/// The rows of the queries, sorted by `bits` ≤ 32 leading bits of their codes on an unshifted curve. Queued and timed.
/// If the data are sparse, 24 bits are enough (2²³ uniform points: 0.08 ms less). On a surface they are not: the search
/// takes a tenth longer, which is more than the sort saves.
Buffer<std::uint32_t> rows_by_leading_bits(SearchContext& context, const Shift& curve, int bits);

/// The rows of the queries of a search in `data`, sorted so that the queries of neighbouring threads are near each
/// other and read the same points. Only the rows are sorted: the kernel that reads the queries has other work while it
/// waits for them, which saves a third of 0.2 ms for 2²³ queries. Queued and timed.
Buffer<std::uint32_t> order_queries(SearchContext& context, const CurveOrder& data);

}  // namespace kann::cuda
