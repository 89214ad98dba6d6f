#include "cuda/order/query_order.hpp"

#include "cuda/order/encode.hpp"
#include "cuda/order/point_order.hpp"

namespace kann::cuda {
namespace {

/// The queries in the order of the input.
PointSource rows_of(const SearchContext& context) {
  return {context.d_queries(), nullptr, context.problem.grid, context.d_given_queries()};
}

}  // namespace

QuerySorter::QuerySorter(SearchContext& context, const Shift& curve)
    : context_(context), count_(context.problem.query_count), sorter_(context.pool, count_) {
  leading_keys(rows_of(context), count_, curve, k_key_bits, sorter_.keys_in(), sorter_.indices_in(), context.stream);
  context.timer.lap(context.steps.encode);
}

void QuerySorter::sort(int bits) {
  sorter_.sort(count_, k_key_bits - bits, k_key_bits, context_.stream);
  context_.timer.lap(context_.steps.sort);
}

bool QuerySorter::are_crowded() {
  const Buffer<std::uint32_t> d_crowded(context_.pool, 1);
  count_in_crowded_cells(sorter_.keys(), count_, d_crowded.data(), context_.stream);
  std::uint32_t crowded = 0;
  check(cudaMemcpyAsync(&crowded, d_crowded.data(), sizeof crowded, cudaMemcpyDeviceToHost, context_.stream),
        "query order: count");
  context_.stream.synchronize();
  context_.timer.lap(context_.steps.sort);
  return crowded > count_ / 16;
}

QueryOrder order_closely(SearchContext& context, const Shift& curve) {
  QueryOrder queries;
  {
    QuerySorter sorter(context, curve);
    sorter.sort(QuerySorter::k_key_bits);
    if (!sorter.are_crowded()) {
      queries.rows = sorter.release_rows();
      return queries;
    }
  }
  const std::int64_t count = context.problem.query_count;
  queries.placed = Buffer<PlacedPoint>(context.pool, count);
  PointOrder(context, count).complete_order(curve, rows_of(context), queries.placed.data());
  return queries;
}

QueryOrder order_roughly(SearchContext& context, const Shift& curve) {
  QuerySorter sorter(context, curve);
  sorter.sort(QuerySorter::k_key_bits);
  return {sorter.release_rows(), {}};
}

}  // namespace kann::cuda
