#include "cuda/order/curve_order.hpp"

#include <utility>

#include "cuda/order/encode.hpp"
#include "cuda/order/place.hpp"
#include "cuda/order/report_channel.hpp"

namespace kann::cuda {
namespace {

/// Keys of so many leading bits of the codes, before the numbers of the points.
KeyLayout packed_layout(const Shift& curve, std::int64_t count, SortDepth depth) {
  const int bits = depth == SortDepth::coarse_bits ? k_coarse_bits : k_leading_bits;
  return key_layout(count, curve.bits, 0, bits, bits);
}

/// The keys of the rows of a source, sorted. Queued and timed.
Buffer<std::uint64_t> sorted_keys(SearchContext& context, const PointSource& source, std::int64_t count,
                                  const Shift& curve, const KeyLayout& layout) {
  Buffer<std::uint64_t> keys(context.pool, count), spare(context.pool, count);
  KeySorter sorter(context.pool, count);
  pack_keys(source, count, curve, layout, keys.data(), context.stream);
  context.timer.lap(context.steps.encode);
  const bool is_in_spare =
      sorter.sort(keys.data(), spare.data(), count, layout.first_sorted_bit(), layout.key_bits(), context.stream);
  return std::move(is_in_spare ? spare : keys);
}

/// The rows of a source, sorted by whole codes. Queued and timed.
PairSorter<std::uint64_t> sorted_pairs(SearchContext& context, const PointSource& source, std::int64_t count,
                                       const Shift& curve) {
  PairSorter<std::uint64_t> sorter(context.pool, count);
  full_keys(source, nullptr, count, curve, sorter.keys_in(), sorter.indices_in(), context.stream);
  context.timer.lap(context.steps.encode);
  sorter.sort(count, 0, curve.bits, context.stream);
  return sorter;
}

/// The queries in the order of the input.
PointSource rows_of_queries(const SearchContext& context) {
  return {context.d_queries(), nullptr, context.problem.grid, context.d_given_queries()};
}

}  // namespace

CurveOrder::CurveOrder(SearchContext& context, const PointSource& source, int dimensions, std::int64_t count)
    : placed(context.pool, count), curve(hilbert_curve(dimensions)) {
  SortDepth depth = first_plan(count, false).depth;
  while (true) {
    const OrderReport report = depth < SortDepth::all_bits ? sort_packed(context, source, count, depth)
                                                           : sort_pairs(context, source, count, depth);
    const CurveVerdict verdict = judge_curve(depth, report, count);
    of_queries = verdict.of_queries;
    if (verdict.is_fine) return;
    depth = verdict.deeper;
  }
}

OrderReport CurveOrder::sort_packed(SearchContext& context, const PointSource& source, std::int64_t count,
                                    SortDepth depth) {
  const Shift whole = hilbert_curve(curve.dimensions);
  const KeyLayout layout = packed_layout(whole, count, depth);
  keys = sorted_keys(context, source, count, whole, layout);
  key_bit = layout.payload_bits;
  curve = shortened(whole, layout.prefix_bits);
  ReportChannel channel(context.pool, context.mapped);
  place_along_curve(keys.data(), key_bit, nullptr, count, curve, source, placed.data(), channel.d_report(),
                    context.stream);
  const PendingReport pending = channel.send();
  context.timer.lap(context.steps.sort);
  return pending.get();
}

OrderReport CurveOrder::sort_pairs(SearchContext& context, const PointSource& source, std::int64_t count,
                                   SortDepth depth) {
  curve = hilbert_curve(curve.dimensions);
  key_bit = 0;
  keys = {};
  PairSorter<std::uint64_t> sorter = sorted_pairs(context, source, count, curve);
  if (depth == SortDepth::in_tree) tree.emplace(context, source, curve.dimensions, count, sorter);
  ReportChannel channel(context.pool, context.mapped);
  place_along_curve(sorter.keys(), key_bit, sorter.indices(), count, curve, source, placed.data(), channel.d_report(),
                    context.stream);
  const PendingReport pending = channel.send();
  if (!tree) keys = sorter.release_keys();
  context.timer.lap(context.steps.sort);
  return pending.get();
}

Buffer<std::uint32_t> rows_by_leading_bits(SearchContext& context, const Shift& curve, int bits) {
  constexpr int key_bits = 32;
  const std::int64_t count = context.problem.query_count;
  PairSorter<std::uint32_t> sorter(context.pool, count);
  leading_keys(rows_of_queries(context), count, curve, key_bits, sorter.keys_in(), sorter.indices_in(), context.stream);
  context.timer.lap(context.steps.encode);
  sorter.sort(count, key_bits - bits, key_bits, context.stream);
  context.timer.lap(context.steps.sort);
  return sorter.release_indices();
}

Buffer<std::uint32_t> order_queries(SearchContext& context, const CurveOrder& data) {
  const Problem& p = context.problem;
  const std::int64_t count = p.query_count;
  const PointSource source = rows_of_queries(context);
  const Shift curve = hilbert_curve(p.dimensions);
  if (data.of_queries == SortDepth::coarse_bits) return rows_by_leading_bits(context, curve, k_coarse_bits);
  Buffer<std::uint32_t> rows;
  if (data.of_queries == SortDepth::leading_bits) {
    const KeyLayout layout = packed_layout(curve, count, SortDepth::leading_bits);
    const Buffer<std::uint64_t> keys = sorted_keys(context, source, count, curve, layout);
    rows = Buffer<std::uint32_t>(context.pool, count);
    unpack_rows(keys.data(), layout.payload_bits, count, rows.data(), context.stream);
  } else if (!data.tree) {
    rows = sorted_pairs(context, source, count, curve).release_indices();
  } else {
    PairSorter<std::uint32_t> sorter(context.pool, count);
    keys_in_tree(data.tree->view(), source, p.dimensions, count, sorter.keys_in(), sorter.indices_in(), context.stream);
    constexpr int place_bits = 32;
    sorter.sort(count, 0, place_bits, context.stream);
    rows = sorter.release_indices();
  }
  context.timer.lap(context.steps.sort);
  return rows;
}

}  // namespace kann::cuda
