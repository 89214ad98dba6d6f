// Logarithm and exponential as fixed sequences of correctly rounded operations, since the functions of the C library
// and of CUDA differ in their last bits. The results are within 1 ulp. Compiled as real-inl.hpp says.
#pragma once

#include "geometry/interpolation/real-inl.hpp"

KANN_REAL_BEGIN();
namespace kann::interpolation::KANN_REAL_SPACE {

/// log x for a normal positive x. An infinite x gives a finite number; NaN gives NaN or a finite number.
///
/// x = 2^e (1 + f) with 1 + f in [√½, √2). With s = f / (2 + f), log(1 + f) = 2 atanh s = f − (h − s (h + R)), where
/// h = f²/2 and R = s² Q(s²) holds what follows 2s in the series of 2 atanh s. Q is its Chebyshev approximation of
/// degree 7 on [0, 0.0295], within 2.1e-18. (A polynomial of degree 19 in f, without the quotient, took longer on a
/// CPU.)
KANN_REAL Real log_of(Real x) {
  const Bits at_one = bits(1023ull << 52), exponent = bits(0xfffull << 52);
  const Bits of_x = bits_of(x);
  const Bits above = of_x - bits(0x3fe6a09e667f3bcdull) + at_one;  // e + 1023 in its exponent: √½ is 0x3fe6…
  // An integer i below 2⁵² becomes a float64 by way of the bits of 2⁵² + i.
  const Real e = real_of(to_low_bits(above) | bits(0x4330000000000000ull)) - real(0x1p52 + 1023);
  const Real f = real_of(of_x - (above & exponent) + at_one) - real(1);
  const Real h = real(0.5) * f * f;
  const Real s = f / (real(2) + f);
  const Real z = s * s;
  Real q = real(0x1.0c04595972ab8p-3);
  q = fused(q, z, real(0x1.0fbe83c2cbcf3p-3));
  q = fused(q, z, real(0x1.3b1c360763b8ap-3));
  q = fused(q, z, real(0x1.745cf901605f7p-3));
  q = fused(q, z, real(0x1.c71c720160b47p-3));
  q = fused(q, z, real(0x1.2492492476c87p-2));
  q = fused(q, z, real(0x1.9999999999a38p-2));
  q = fused(q, z, real(0x1.5555555555555p-1));
  // log 2 comes in two parts, the first of 41 bits, so that its product with e is exact.
  const Real low = fused(s, fused(z, q, h), e * real(0x1.3de6af278ece6p-42));
  return fused(e, real(0x1.62e42fefa3000p-1), f - (h - low));
}

/// exp(−x) for x ≥ 0; 0 where it is below 2^−1021.4 (x > 708). NaN gives NaN.
///
/// −x = k log 2 + r with |r| ≤ ½ log 2; exp r = 1 + r + r² E(r), where E is the Chebyshev approximation of degree 10 of
/// (exp r − 1 − r) / r², within 1.4e-18.
KANN_REAL Real exp_of_negative(Real x) {
  const Real rounder = real(0x1.8p52);  // adding it rounds a number to an integer, in the lowest bits of the sum
  const Real shifted = fused(x, real(-0x1.71547652b82fep+0), rounder);
  const Real k = shifted - rounder;
  const Real r = fused_from(fused_from(real(0) - x, k, real(0x1.62e42fefa3000p-1)), k, real(0x1.3de6af278ece6p-42));
  Real e = real(0x1.1f730349868cep-29);
  e = fused(e, r, real(0x1.af4de97ca4194p-26));
  e = fused(e, r, real(0x1.27e4db646b17ep-22));
  e = fused(e, r, real(0x1.71de0231960ebp-19));
  e = fused(e, r, real(0x1.a01a01a6d889cp-16));
  e = fused(e, r, real(0x1.a01a01abe7fe1p-13));
  e = fused(e, r, real(0x1.6c16c16c162d4p-10));
  e = fused(e, r, real(0x1.11111111100dcp-7));
  e = fused(e, r, real(0x1.5555555555556p-5));
  e = fused(e, r, real(0x1.5555555555557p-3));
  e = fused(e, r, real(0.5));
  const Real power = real_of(to_exponent(bits_of(shifted) + bits(1023)));
  return choose(x > real(708), real(0), (real(1) + fused(r * r, e, r)) * power);
}

}  // namespace kann::interpolation::KANN_REAL_SPACE
KANN_REAL_END();
