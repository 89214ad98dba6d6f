// What the kernels that place the points of an order report about it.
#pragma once

#include <cstdint>

namespace kann::cuda {

/// Written by the kernels of place.hpp; all zeros if there is nothing to report.
struct OrderReport {
  std::uint32_t incomplete;            ///< not 0: points are out of order, and must be sorted by more bits
  std::uint32_t has_long_coarse_runs;  ///< not 0: more than k_long_coarse_run points share k_coarse_bits (place.hpp)
  std::uint32_t sampled_coarse_runs;   ///< sampled points that share k_coarse_bits with the point before
};

/// Points are sampled for `sampled_coarse_runs` in one block of k_sample_blocks.
inline constexpr int k_sample_blocks = 16;

}  // namespace kann::cuda
