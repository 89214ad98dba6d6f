// Correctly rounded float32 roots of float64s, computed by one thread.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "geometry/exact_neighbor.hpp"

namespace kann::cuda::thread {

/// rounded_root(), by 20 instructions instead of 45. The reciprocal root of the hardware is within 2⁻²²·⁹ (PTX ISA,
/// rsqrt.approx.f32), that of the float32 of sq_dist within e < 2⁻²²·⁵; one step of Newton's method makes that 1.5·e² <
/// 2⁻⁴⁴. That is below 2⁹ units of the last place of float64, of which float32 drops 2²⁹: it decides, unless the middle
/// of two float32s is as near.
__device__ __forceinline__ float float_root(double sq_dist) {
  float rough_reciprocal;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(rough_reciprocal) : "f"(static_cast<float>(sq_dist)));
  const double reciprocal = rough_reciprocal, rough = sq_dist * reciprocal;
  const double root = fma(fma(-rough, rough, sq_dist), 0.5 * reciprocal, rough);

  constexpr std::uint32_t dropped = 1u << 29, margin = 1u << 10;
  const auto low = static_cast<std::uint32_t>(__double2loint(root));
  const bool is_near_middle = ((low - (dropped / 2 - margin)) & (dropped - 1)) < 2 * margin;
  const bool is_in_range = sq_dist > 0x1p-120 && sq_dist < 0x1p120;
  return is_in_range && !is_near_middle ? static_cast<float>(root) : rounded_root(sq_dist);
}

}  // namespace kann::cuda::thread
