// The fast pipeline: data and queries sorted apart, each step a kernel, a shift at a time.
#include "cuda/encode.hpp"
#include "cuda/order.hpp"
#include "cuda/rows.hpp"
#include "cuda/run.hpp"
#include "cuda/select.hpp"
#include "cuda/sort.hpp"

namespace kann::cuda {
namespace {

/// A cloud on the device with its unshifted codes.
struct Cloud {
  Cloud(Pool& pool, std::int64_t n, int dimensions) : count(n), points(pool, n * dimensions), codes(pool, n) {}

  std::int64_t count;
  Buffer<float> points;
  Buffer<std::uint64_t> codes;
};

Cloud load(Run& run, const float* points, std::int64_t count) {
  const Problem& p = run.problem;
  Cloud cloud(run.pool, count, p.dimensions);
  run.upload(points, count * p.dimensions, cloud.points.data());
  run.timer.lap(run.answer.steps.upload);
  encode(cloud.points.data(), count, p.dimensions, p.grid, cloud.codes.data(), run.stream);
  run.timer.lap(run.answer.steps.encode);
  return cloud;
}

/// The order of shift 0, in which queries are taken in every shift: neighbours share their windows in the cache.
Buffer<std::uint32_t> order_queries(Run& run, const Cloud& queries) {
  const Problem& p = run.problem;
  PairSorter sorter(run.pool, queries.count);
  shift_keys(queries.codes.data(), queries.count, shift_of(p, 0), sorter.keys_in(), sorter.indices_in(), run.stream);
  sorter.sort(queries.count, p.bits, run.stream);
  Buffer<std::uint32_t> order(run.pool, queries.count);
  if (queries.count > 0)
    check(
        cudaMemcpyAsync(order.data(), sorter.indices(), static_cast<std::size_t>(queries.count) * sizeof(std::uint32_t),
                        cudaMemcpyDeviceToDevice, run.stream),
        "query order");
  run.timer.lap(run.answer.steps.sort);
  return order;
}

}  // namespace

void run_fused(Run& run) {
  const Problem& p = run.problem;
  StepSeconds& steps = run.answer.steps;
  const std::int64_t list_size = run.list_size();
  const std::int64_t stride = list_size > 0 ? list_stride(list_size) : 0;

  const Cloud data = load(run, p.data, p.data_count);
  const Cloud own_queries = load(run, p.queries, p.self_query() ? 0 : p.query_count);
  const Cloud& queries = p.self_query() ? data : own_queries;
  const Buffer<std::uint32_t> query_order = order_queries(run, queries);

  Buffer<NeighborKey> kept(run.pool, p.query_count * stride);
  {
    PairSorter sorter(run.pool, p.data_count);
    Buffer<PlacedPoint> placed(run.pool, p.data_count);
    Buffer<std::uint32_t> ranks(run.pool, p.query_count);
    const Candidates candidates{placed.data(), p.data_count,       queries.points.data(),
                                p.dimensions,  query_order.data(), ranks.data(),
                                p.query_count, p.window,           p.drop_self};
    for (int j = 0; j < p.shifts; ++j) {
      const Shift shift = shift_of(p, j);
      shift_keys(data.codes.data(), p.data_count, shift, sorter.keys_in(), sorter.indices_in(), run.stream);
      run.timer.lap(steps.encode);
      sorter.sort(p.data_count, p.bits, run.stream);
      gather(data.points.data(), p.dimensions, sorter.indices(), p.data_count, placed.data(), run.stream);
      run.timer.lap(steps.sort);
      rank_queries(sorter.keys(), p.data_count, queries.codes.data(), query_order.data(), p.query_count, shift,
                   ranks.data(), run.stream);
      run.timer.lap(steps.rank);
      select(candidates, list_size, j == 0, kept.data(), run.stream);
      run.timer.lap(steps.select);
    }
  }

  Buffer<std::int32_t> ids(run.pool, p.query_count * p.k);
  Buffer<float> distances(run.pool, p.query_count * p.k);
  write_rows(kept.data(), list_size, stride, query_order.data(), p.query_count, p.k, p.unit, ids.data(),
             distances.data(), run.stream);
  run.timer.lap(steps.rows);
  run.download(ids.data(), distances.data());
}

}  // namespace kann::cuda
