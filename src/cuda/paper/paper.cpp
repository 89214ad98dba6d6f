// Park 2017 as published: one mixed array, Steps 0 to 10, Steps 1 to 10 once per shift. For reproduction, and as a
// second implementation that the answer is compared with; the fast pipeline is shifted_sort/shifted_sort.cpp.
#include "cuda/paper/paper.hpp"

#include "cuda/order/sort.hpp"
#include "cuda/paper/steps.hpp"

namespace kann::cuda {

void run_paper(SearchContext& context) {
  const Problem& p = context.problem;
  StepSeconds& steps = context.steps;
  const std::int64_t count = p.data_count + p.query_count;
  const int k = static_cast<int>(p.k);

  // Step 0: all memory, and both clouds in one array: context.points, unless the queries are the data
  Buffer<float> doubled(context.pool, p.self_query() ? count * p.dimensions : 0);
  if (p.self_query())
    for (const std::int64_t first : {std::int64_t{0}, p.data_count})
      check(cudaMemcpyAsync(doubled.data() + first * p.dimensions, context.d_data(),
                            static_cast<std::size_t>(p.data_count * p.dimensions) * sizeof(float),
                            cudaMemcpyDeviceToDevice, context.stream),
            "paper: mixed array");
  const float* const d_mixed = p.self_query() ? doubled.data() : context.d_data();
  PairSorter<std::uint64_t> sorter(Scratch(context.pool), count);
  paper::Partition partition(context.pool, p.data_count, p.query_count);
  Buffer<std::uint32_t> candidates(context.pool, p.query_count * 2 * k);
  Buffer<NeighborKey> kept(context.pool, p.query_count * k);

  for (int j = 0; j < p.shifts; ++j) {
    // Steps 1 and 2: indices and Morton codes
    paper::index_and_encode(d_mixed, count, p.grid, shift_of(p, j), sorter.keys_in(), sorter.indices_in(),
                            context.stream);
    context.timer.lap(steps.encode);
    // Step 3: stable, so that a data point comes before a query of the same code
    sorter.sort(count, 0, p.bits, context.stream);
    context.timer.lap(steps.sort);
    // Steps 4 to 8: flags, scan, partition
    partition.run(sorter.indices(), context.stream);
    context.timer.lap(steps.rank);
    // Steps 9 and 10: 2k candidates around each query, the nearest of them
    paper::collect_candidates(partition, p.data_count, p.query_count, k, candidates.data(), context.stream);
    paper::select_nearest(d_mixed, p.dimensions, p.data_count, partition, p.query_count, candidates.data(), k,
                          p.drop_self, j == 0, kept.data(), context.stream);
    context.timer.lap(steps.select);
  }

  paper::write_rows(kept.data(), p.query_count, context.rows(), context.stream);
  context.timer.lap(steps.rows);
}

}  // namespace kann::cuda
