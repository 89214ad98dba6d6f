// The two parts of bench_scans; no_cuda_scans.cpp defines them in builds without CUDA.
#pragma once

#include "common/program.hpp"

namespace kann::bench {

struct ScanSettings {
  int min_log2 = 10, max_log2 = 28;
};

/// Table 4 of the scan paper: segmented scans of 2²¹ … 2²⁸ flags against a copy on the device.
void measure_segmented_scans(const Program& program, const ScanSettings& settings, Report& report);

/// Single-pass scans of 2¹⁰ … 2²⁸ elements against cub::DeviceScan.
void measure_single_pass_scans(const Program& program, const ScanSettings& settings, Report& report);

}  // namespace kann::bench
