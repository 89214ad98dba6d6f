// The exact method: data and queries along the Hilbert curve, boxes over the data, and the search.
#include "cuda/exact/exact.hpp"

#include "cuda/exact/search.hpp"
#include "cuda/order/point_order.hpp"
#include "cuda/order/query_order.hpp"

namespace kann::cuda {

void run_exact(SearchContext& context) {
  const Problem& p = context.problem;
  const bool self = p.self_query();
  const Shift curve = hilbert_curve(p.dimensions);

  const QueryOrder queries = self ? QueryOrder() : order_closely(context, curve);
  Buffer<PlacedPoint> placed(context.pool, p.data_count);
  PointOrder data_order(context, p.data_count, Scratch(context.pool));
  const PointSource source{context.d_data(), nullptr, p.grid};
  const SortedPoints order = data_order.complete_order(curve, source, placed.data());
  const exact::BoxTree tree(context.pool, placed.data(), p.data_count);
  context.timer.lap(context.steps.boxes);

  exact::Search search{};
  search.tree = tree.view();
  search.d_data_keys = self ? nullptr : order.d_keys;
  search.key_bit = order.key_bit;
  search.curve = shortened(curve, order.key_bits - order.key_bit);
  search.grid = p.grid;
  search.ordered_within_cells = data_order.is_ordered_within_cells();
  search.queries = self ? PointSequence{{nullptr, placed.data(), p.grid}, nullptr} : queries.sequence(context);
  search.query_count = p.query_count;
  search.drop_self = p.drop_self;
  search.list_size = p.list_size();
  exact::search(search, context.rows(), context.stream);
  context.timer.lap(context.steps.select);
}

}  // namespace kann::cuda
