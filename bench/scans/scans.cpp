// Scans on the device: Table 4 of the scan paper (segmented, Park 2017), and single-pass scans against those of CUB.
#include "scans/measure_scans.hpp"

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_scans", "Scan paper, Table 4 (segmented scan), and single-pass scans against cub::DeviceScan");
  ScanSettings settings;
  program.option("--min-log2", settings.min_log2, "smallest array is 2 to this power");
  program.option("--max-log2", settings.max_log2, "largest array is 2 to this power");
  return program.run(argc, argv, [&](Report& report) {
    if (!program.on_cuda()) return report.skip("all scans", program.no_cuda_reason());
    measure_segmented_scans(program, settings, report);
    measure_single_pass_scans(program, settings, report);
  });
}
