// Park 2017 as published: one mixed array, Steps 0 to 10, Steps 1 to 10 once a shift. For reproduction, and as the
// second witness of the answer; the fast pipeline is fused.cpp.
#include "cuda/paper/steps.hpp"
#include "cuda/rows.hpp"
#include "cuda/run.hpp"
#include "cuda/sort.hpp"

namespace kann::cuda {

void run_paper(Run& run) {
  const Problem& p = run.problem;
  StepSeconds& steps = run.answer.steps;
  const std::int64_t count = p.data_count + p.query_count;
  const int k = static_cast<int>(p.k);

  // Step 0: all memory, and both clouds in one array
  Buffer<float> mixed(run.pool, count * p.dimensions);
  PairSorter sorter(run.pool, count);
  paper::Partition partition(run.pool, p.data_count, p.query_count);
  Buffer<std::uint32_t> candidates(run.pool, p.query_count * 2 * k);
  Buffer<NeighborKey> kept(run.pool, p.query_count * k);
  Buffer<std::int32_t> ids(run.pool, p.query_count * k);
  Buffer<float> distances(run.pool, p.query_count * k);
  run.upload(p.data, p.data_count * p.dimensions, mixed.data());
  run.upload(p.queries, p.query_count * p.dimensions, mixed.data() + p.data_count * p.dimensions);
  run.timer.lap(steps.upload);

  for (int j = 0; j < p.shifts; ++j) {
    // Steps 1 and 2: indices and Morton codes
    paper::index_and_encode(mixed.data(), count, p.grid, shift_of(p, j), sorter.keys_in(), sorter.indices_in(),
                            run.stream);
    run.timer.lap(steps.encode);
    // Step 3: stable, so that a data point comes before a query of the same code
    sorter.sort(count, p.bits, run.stream);
    run.timer.lap(steps.sort);
    // Steps 4 to 8: flags, scan, partition
    partition.run(sorter.indices(), run.stream);
    run.timer.lap(steps.rank);
    // Steps 9 and 10: 2k candidates around each query, the nearest of them
    paper::collect_candidates(partition, p.data_count, p.query_count, k, candidates.data(), run.stream);
    paper::select_nearest(mixed.data(), p.dimensions, p.data_count, partition, p.query_count, candidates.data(), k,
                          p.drop_self, j == 0, kept.data(), run.stream);
    run.timer.lap(steps.select);
  }

  write_rows(kept.data(), k, k, nullptr, p.query_count, p.k, p.unit, ids.data(), distances.data(), run.stream);
  run.timer.lap(steps.rows);
  run.download(ids.data(), distances.data());
}

}  // namespace kann::cuda
