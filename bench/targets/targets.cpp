// Measures the targets of bench/targets.md: the shifted sort and exact on three clouds, exact on ugly, hard and even
// clouds, and both methods from k = 1 to 1,024 and from 2¹⁰ to 2²⁷ points.
#include "targets/targets.hpp"

#include <algorithm>

#include "common/peers.hpp"

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_targets", "Time, memory and recall of shifted-sort and exact, against the targets");
  TargetSettings settings;
  program.option("--max-log2", settings.max_log2, "maximum number of points of any cloud: 2 to this power");
  program.option("--log2", settings.log2, "points of the clouds uniform, surface and clusters: 2 to this power");
  program.option("--ugly-log2", settings.ugly_log2, "points of the ugly clouds: 2 to this power");
  program.option("--hard-log2", settings.hard_log2, "points of the hard clouds: 2 to this power");
  program.option("--judged-queries", settings.judged_queries, "queries compared with nanoflann in double");
  return program.run(argc, argv, [&](Report& report) {
    settings.log2 = std::min(settings.log2, settings.max_log2);
    settings.ugly_log2 = std::min(settings.ugly_log2, settings.max_log2);
    settings.hard_log2 = std::min(settings.hard_log2, settings.max_log2);
    for (const PeerFigure& p : k_peers)  // for scripts/plot and scripts/tables
      report.add({{"group", "peers"}, {"peer", p.peer}, {"cloud", p.cloud}, {"log2", 23}, {"k", p.k}, {"ms", p.ms}});
    if (!program.on_cuda()) report.skip("the GPU's times", program.no_cuda_reason() + "; the CPU is measured instead");
    measure_clouds(program, settings, report);
    measure_ugly(program, settings, report);
    measure_hard(program, settings, report);
    measure_list_sizes(program, settings, report);
    measure_even(program, settings, report);
    measure_scaling(program, settings, report);
  });
}
