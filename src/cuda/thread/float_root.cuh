// Correctly rounded float32 roots of float64s, computed by one thread.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "geometry/exact_neighbor.hpp"

namespace kann::cuda::thread {

/// rounded_root() of a number ≥ 0, in 25 instructions instead of 45, and whether it is certain. The relative error of
/// the hardware's reciprocal root is within 2⁻²²·⁹ (PTX ISA, rsqrt.approx.f32); with the rounding of sq_dist to
/// float32, it is e < 2⁻²²·⁵. One step of Newton's method makes that 1.5·e² < 2⁻⁴⁴, which is below 2⁹ units of the last
/// place of float64. float32 drops 2²⁹ such units, so the rounding is certain unless the middle of two float32s is as
/// near.
class RoughRoot {
 public:
  __device__ __forceinline__ explicit RoughRoot(double sq_dist) {
    // If the leading bits show a small number, it is multiplied by 2¹⁴⁰, for the range of rsqrt, and its root divided
    // by 2⁷⁰.
    constexpr std::uint32_t exponent = 1u << 20, begin = (1023 - 110) * exponent, end = (1023 + 120) * exponent;
    const auto given_high = static_cast<std::uint32_t>(__double2hiint(sq_dist));
    const bool is_small = given_high < begin;
    const std::uint32_t high = given_high + (is_small ? 140 * exponent : 0);
    const double scaled = __hiloint2double(static_cast<int>(high), __double2loint(sq_dist));

    float rough_reciprocal;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(rough_reciprocal) : "f"(fmaxf(static_cast<float>(scaled), 0x1p-126f)));
    const double reciprocal = rough_reciprocal, rough = scaled * reciprocal;
    const double root = fma(fma(-rough, rough, scaled), 0.5 * reciprocal, rough);
    value_ = static_cast<float>(root) * (is_small ? 0x1p-70f : 1.0f);

    constexpr std::uint32_t dropped = 1u << 29, margin = 1u << 10;
    const auto low = static_cast<std::uint32_t>(__double2loint(root));
    const bool is_near_middle = ((low - (dropped / 2 - margin)) & (dropped - 1)) < 2 * margin;
    // Either sq_dist is 2⁻²⁵⁰ to 2¹²⁰, whose roots are not subnormal, or it is less than the square of any float32.
    is_certain_ = (high - begin < end - begin || given_high == 0) && !is_near_middle;
  }

  __device__ __forceinline__ bool is_certain() const { return is_certain_; }
  __device__ __forceinline__ float value() const { return value_; }

 private:
  float value_;
  bool is_certain_;
};

/// rounded_root(), by RoughRoot where that is certain.
__device__ __forceinline__ float float_root(double sq_dist) {
  const RoughRoot root(sq_dist);
  return root.is_certain() ? root.value() : rounded_root(sq_dist);
}

}  // namespace kann::cuda::thread
