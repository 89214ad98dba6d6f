// The radial functions, which take squared distances: half the logarithm of a square saves a root. Compiled as
// real-inl.hpp says.
#pragma once

#include "kann/transfer.hpp"

#include "geometry/interpolation/elementary-inl.hpp"

KANN_REAL_BEGIN();
namespace kann::interpolation::KANN_REAL_SPACE {

/// dx² + dy² + dz². In 2-D, dz is 0, which adds nothing.
KANN_REAL Real sum_of_squares(Real dx, Real dy, Real dz) { return fused(dz, dz, fused(dy, dy, dx * dx)); }

/// φ(√s), where s is (ε r)². r² log r is 0 where s is below 2^−1022.
template <RbfKernel kernel>
KANN_REAL Real radial(Real s) {
  if constexpr (kernel == RbfKernel::thin_plate_spline)
    return choose(s < real(0x1p-1022), real(0), real(0.5) * s * log_of(s));
  else if constexpr (kernel == RbfKernel::cubic)
    return root(s) * s;
  else if constexpr (kernel == RbfKernel::linear)
    return real(0) - root(s);
  else
    return exp_of_negative(s);
}

/// The power of two c that the kernel is multiplied by, for neighbours whose box has a diagonal of squared length
/// s = (ε d)². It brings the kernel's elements near 1, the size of the monomials, whatever the unit of the coordinates:
/// pivots can then be compared with one bound. The system of c K + c λ I gives the same weights.
template <RbfKernel kernel>
KANN_REAL Real kernel_scale(Real s, double smoothing) {
  Real size = real(1);
  if constexpr (kernel == RbfKernel::thin_plate_spline) size = s;
  if constexpr (kernel == RbfKernel::cubic) size = root(s) * s;
  if constexpr (kernel == RbfKernel::linear) size = root(s);
  size = choose(size < real(smoothing), real(smoothing), size);
  const Real power = real_of(bits(2046ull << 52) - (bits_of(size) & bits(0x7ffull << 52)));
  return choose(both(size >= real(0x1p-1022), size < real(0x1p1023)), power, real(1));
}

/// Monomial `number` of k_monomials at coordinates u.
KANN_REAL Real monomial(int number, const Real (&u)[3]) {
  if (number == 0) return real(1);
  if (number < 4) return u[number - 1];
  if (number < 7) return u[0] * u[number - 4];
  if (number < 9) return u[1] * u[number - 6];
  return u[2] * u[2];
}

}  // namespace kann::interpolation::KANN_REAL_SPACE
KANN_REAL_END();
