// Park 2017 as published: one mixed array, Steps 0 to 10, Steps 1 to 10 once per shift. For reproduction, and as a
// second implementation that the answer is compared with; the fast pipeline is shifted_sort/shifted_sort.cpp.
#include "cuda/paper/paper.hpp"

#include <utility>

#include "cuda/order/sort.hpp"
#include "cuda/paper/steps.hpp"

namespace kann::cuda {

void run_paper(SearchContext& context) {
  const Problem& p = context.problem;
  StepSeconds& steps = context.steps;
  const std::int64_t count = p.data_count + p.query_count;
  const int k = static_cast<int>(p.k);

  // Step 0: all memory, and both clouds in one array
  const Buffer<float> mixed(context.pool, count * p.dimensions);
  float* d_next = mixed.data();
  for (const auto& [d_points, points] :
       {std::pair(context.d_data(), p.data_count), std::pair(context.d_queries(), p.query_count)}) {
    if (points == 0) continue;
    check(cudaMemcpyAsync(d_next, d_points, static_cast<std::size_t>(points * p.dimensions) * sizeof(float),
                          cudaMemcpyDeviceToDevice, context.stream),
          "paper: mixed array");
    d_next += points * p.dimensions;
  }
  PairSorter<std::uint64_t> sorter(context.pool, count);
  paper::Partition partition(context.pool, p.data_count, p.query_count);
  Buffer<std::uint32_t> candidates(context.pool, p.query_count * 2 * k);
  Buffer<NeighborKey> kept(context.pool, p.query_count * k);

  for (int j = 0; j < p.shifts; ++j) {
    // Steps 1 and 2: indices and Morton codes
    const Shift shift = shift_of(p.dimensions, j, p.shifts);
    paper::index_and_encode(mixed.data(), count, p.grid, shift, sorter.keys_in(), sorter.indices_in(), context.stream);
    context.timer.lap(steps.encode);
    // Step 3: stable, so that a data point comes before a query of the same code
    sorter.sort(count, 0, shift.bits, context.stream);
    context.timer.lap(steps.sort);
    // Steps 4 to 8: flags, scan, partition
    partition.run(sorter.indices(), context.stream);
    context.timer.lap(steps.rank);
    // Steps 9 and 10: 2k candidates around each query, the nearest of them
    paper::collect_candidates(partition, p.data_count, p.query_count, k, candidates.data(), context.stream);
    paper::select_nearest(mixed.data(), p.dimensions, p.data_count, partition, p.query_count, candidates.data(), k,
                          p.drop_self ? p.first_query : paper::k_none_dropped, j == 0, kept.data(), context.stream);
    context.timer.lap(steps.select);
  }

  paper::write_rows(kept.data(), p.query_count, context.rows(), context.stream);
  context.timer.lap(steps.rows);
}

}  // namespace kann::cuda
