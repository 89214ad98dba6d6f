// Builds without CUDA have no scans; bench_scans reports that before it would call these.
#include "scans/measure_scans.hpp"

namespace kann::bench {

void measure_segmented_scans(const Program&, const ScanSettings&, Report&) {}
void measure_single_pass_scans(const Program&, const ScanSettings&, Report&) {}

}  // namespace kann::bench
