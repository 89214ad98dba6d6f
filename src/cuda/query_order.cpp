#include "cuda/query_order.hpp"

#include "cuda/encode.hpp"
#include "cuda/place.hpp"
#include "cuda/point_order.hpp"
#include "cuda/sort.hpp"

namespace kann::cuda {
namespace {

/// Whether more than a sixteenth of the queries share their key with eight others or more. Blocks.
bool is_crowded(Run& run, const std::uint32_t* d_keys, std::int64_t count) {
  const Buffer<std::uint32_t> d_crowded(run.pool, 1);
  count_crowded(d_keys, count, d_crowded.data(), run.stream);
  std::uint32_t crowded = 0;
  check(cudaMemcpyAsync(&crowded, d_crowded.data(), sizeof crowded, cudaMemcpyDeviceToHost, run.stream),
        "query order: count");
  run.stream.synchronize();
  return crowded > count / 16;
}

}  // namespace

Buffer<PlacedPoint> order_queries(Run& run, const Shift& curve, bool closely) {
  constexpr int key_bits = 32;
  const Problem& p = run.problem;
  const PointSource source{run.d_queries(), nullptr, p.grid};
  Buffer<PlacedPoint> placed(run.pool, p.query_count);
  {
    PairSorter<std::uint32_t> sorter(Scratch(run.pool), p.query_count);
    leading_keys(source, p.query_count, curve, key_bits, sorter.keys_in(), sorter.indices_in(), run.stream);
    run.timer.lap(run.steps.encode);
    sorter.sort(p.query_count, key_bits, run.stream);
    const bool crowded = closely && is_crowded(run, sorter.keys(), p.query_count);
    if (!crowded) place_indices(sorter.indices(), p.query_count, p.dimensions, source, placed.data(), run.stream);
    run.timer.lap(run.steps.sort);
    if (!crowded) return placed;
  }
  PointOrder order(run, p.query_count, Scratch(run.pool));
  order.order(curve, source, placed.data());
  while (!order.is_settled()) order.order(curve, source, placed.data());
  return placed;
}

}  // namespace kann::cuda
