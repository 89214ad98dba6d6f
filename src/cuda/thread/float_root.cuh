// Correctly rounded float32 roots of float64s, computed by one thread.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "geometry/exact_neighbor.hpp"

namespace kann::cuda::thread {

/// rounded_root() of a number ≥ 0, by 20 instructions instead of 45, or the knowledge that this is not certain. The
/// reciprocal root of the hardware is within 2⁻²²·⁹ (PTX ISA, rsqrt.approx.f32), that of the float32 of sq_dist within
/// e < 2⁻²²·⁵; one step of Newton's method makes that 1.5·e² < 2⁻⁴⁴. That is below 2⁹ units of the last place of
/// float64, of which float32 drops 2²⁹: it decides, unless the middle of two float32s is as near.
class RoughRoot {
 public:
  __device__ __forceinline__ explicit RoughRoot(double sq_dist) {
    float rough_reciprocal;  // of 0: large, so that its product with 0 is 0
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(rough_reciprocal) : "f"(fmaxf(static_cast<float>(sq_dist), 0x1p-126f)));
    const double reciprocal = rough_reciprocal, rough = sq_dist * reciprocal;
    const double root = fma(fma(-rough, rough, sq_dist), 0.5 * reciprocal, rough);
    value_ = static_cast<float>(root);

    constexpr std::uint32_t dropped = 1u << 29, margin = 1u << 10;
    const auto low = static_cast<std::uint32_t>(__double2loint(root));
    const bool is_near_middle = ((low - (dropped / 2 - margin)) & (dropped - 1)) < 2 * margin;
    // By the leading bits of sq_dist: 2⁻¹²⁰ to 2¹²⁰, or less than the square of any float32
    constexpr std::uint32_t exponent = 1u << 20, begin = (1023 - 120) * exponent, end = (1023 + 120) * exponent;
    const auto high = static_cast<std::uint32_t>(__double2hiint(sq_dist));
    is_certain_ = (high - begin < end - begin || high == 0) && !is_near_middle;
  }

  __device__ __forceinline__ bool is_certain() const { return is_certain_; }
  __device__ __forceinline__ float value() const { return value_; }

 private:
  float value_;
  bool is_certain_;
};

/// rounded_root().
__device__ __forceinline__ float float_root(double sq_dist) {
  const RoughRoot root(sq_dist);
  return root.is_certain() ? root.value() : rounded_root(sq_dist);
}

}  // namespace kann::cuda::thread
