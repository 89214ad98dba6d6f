#include "cuda/order/query_order.hpp"

#include "cuda/order/encode.hpp"
#include "cuda/order/point_order.hpp"

namespace kann::cuda {
namespace {

/// The queries as they come.
PointSource rows_of(const Run& run) { return {run.d_queries(), nullptr, run.problem.grid}; }

}  // namespace

QuerySorter::QuerySorter(Run& run, const Shift& curve)
    : run_(run), count_(run.problem.query_count), sorter_(Scratch(run.pool), count_) {
  leading_keys(rows_of(run), count_, curve, k_key_bits, sorter_.keys_in(), sorter_.indices_in(), run.stream);
  run.timer.lap(run.steps.encode);
}

void QuerySorter::sort(int bits) {
  sorter_.sort(count_, k_key_bits - bits, k_key_bits, run_.stream);
  run_.timer.lap(run_.steps.sort);
}

bool QuerySorter::are_crowded() {
  const Buffer<std::uint32_t> d_crowded(run_.pool, 1);
  count_in_crowded_cells(sorter_.keys(), count_, d_crowded.data(), run_.stream);
  std::uint32_t crowded = 0;
  check(cudaMemcpyAsync(&crowded, d_crowded.data(), sizeof crowded, cudaMemcpyDeviceToHost, run_.stream),
        "query order: count");
  run_.stream.synchronize();
  run_.timer.lap(run_.steps.sort);
  return crowded > count_ / 16;
}

QueryOrder order_closely(Run& run, const Shift& curve) {
  QueryOrder queries;
  {
    QuerySorter sorter(run, curve);
    sorter.sort(QuerySorter::k_key_bits);
    if (!sorter.are_crowded()) {
      queries.rows = sorter.release_rows();
      return queries;
    }
  }
  const std::int64_t count = run.problem.query_count;
  queries.placed = Buffer<PlacedPoint>(run.pool, count);
  PointOrder(run, count, Scratch(run.pool)).settled_order(curve, rows_of(run), queries.placed.data());
  return queries;
}

}  // namespace kann::cuda
