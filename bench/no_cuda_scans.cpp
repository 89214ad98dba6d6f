// In a build without CUDA there is nothing to scan with; the program says so before it comes here.
#include "measure_scans.hpp"

namespace kann::bench {

void measure_segmented_scans(const Program&, const ScanSettings&, Report&) {}
void measure_single_pass_scans(const Program&, const ScanSettings&, Report&) {}

}  // namespace kann::bench
