// What the kernels that place the points of an order report about it.
#pragma once

#include <cstdint>

#include "geometry/host_device.hpp"

namespace kann::cuda {

/// Written by the kernels of place.hpp; all zeros if there is nothing to report.
struct OrderReport {
  std::uint32_t incomplete;            ///< not 0: points must be sorted by more bits
  std::uint32_t has_long_coarse_runs;  ///< not 0: more than k_long_coarse_run points share k_coarse_bits (place.hpp)
  std::uint32_t sampled_coarse_runs;   ///< sampled points that share k_coarse_bits with the point before
  // Along the Hilbert curve (place_along_curve):
  std::uint32_t crowded = 0;           ///< sampled points whose key the point k_crowd places on has, at another place
  std::uint32_t coarse_neighbors = 0;  ///< sampled points that share k_coarse_bits with that k_coarse_crowd places on
};

/// Points are sampled for `sampled_coarse_runs` in one block of k_sample_blocks.
inline constexpr int k_sample_blocks = 16;

/// The same for the samples along the Hilbert curve, where there may be few points: one block in so many.
KANN_HOST_DEVICE std::int64_t sampled_blocks_step(std::int64_t count) {
  constexpr std::int64_t many = 1 << 17;
  return count > many ? k_sample_blocks : 1;
}

}  // namespace kann::cuda
