// Published times, printed beside the measured ones.
#pragma once

#include <array>

namespace kann::bench {

/// T. Park, "Optimization of Warp-wide CUDA Implementation for Parallel Shifted Sort Algorithm", Journal of Digital
/// Contents Society 18(4), 2017, Table 1: n = m, unit cube, GTX Titan X and an i7 at 3.6 GHz; k = 1 for ANN and the GPU
/// k-d tree, k = 4 for the shifted sort.
struct ParkTable1Row {
  int log2;
  double ann_ms, gpu_kd_tree_ms, shifted_sort_ms, memory_mb;
};
inline constexpr std::array<ParkTable1Row, 9> k_park_table_1 = {{
    {10, 1, 115, 2, 0.3},
    {12, 5, 118, 6, 1.5},
    {14, 25, 145, 8, 5},
    {16, 171, 213, 21, 22},
    {18, 952, 552, 71, 89},
    {20, 4627, 2661, 270, 356},
    {21, 10008, 5962, 522, 712},
    {22, 22516, 16053, 1059, 1424},
    {23, 48878, 38003, 2329, 2848},
}};

/// The same paper, Table 2: n = m = 2²².
struct ParkTable2Row {
  int k;
  double shifted_sort_ms;
};
inline constexpr std::array<ParkTable2Row, 4> k_park_table_2 = {{{2, 682}, {4, 1051}, {8, 1838}, {16, 3842}}};

/// T. Park, "Correct Implementation of Sub-warp Parallel Prefix Operations based on GPU Hardware Architecture" (the
/// corrected segmented scan), 2017, Table 4: GTX Titan X, blocks of 512; the time includes filling the array with ones.
struct ScanTable4Row {
  int log2;
  double ms;
};
inline constexpr std::array<ScanTable4Row, 8> k_scan_table_4 = {
    {{21, 3}, {22, 3}, {23, 7}, {24, 13}, {25, 26}, {26, 51}, {27, 94}, {28, 185}}};

}  // namespace kann::bench
