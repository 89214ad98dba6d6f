// Real numbers as the arithmetic of this folder sees them: a float64 on a GPU and on processors without vectors, or one
// float64 per lane of a vector. Code that is written with these functions runs the same operations on all of them, each
// rounded correctly, and so gives the same bytes.
//
// Compiled once per vector target after cpu/vector/highway.hpp, into its namespace, and elsewhere into the namespace
// `scalar`.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "geometry/host_device.hpp"

/// The first two stand before and after the namespace kann::interpolation::KANN_REAL_SPACE, and KANN_REAL before each
/// function. (The namespace cannot be in them: GCC 14 loses what follows HWY_BEFORE_NAMESPACE() in the same macro.)
#ifdef HWY_NAMESPACE
#define KANN_REAL_BEGIN() HWY_BEFORE_NAMESPACE()
#define KANN_REAL_END() HWY_AFTER_NAMESPACE()
#define KANN_REAL_SPACE HWY_NAMESPACE
#define KANN_REAL HWY_INLINE
#else
#define KANN_REAL_BEGIN() static_assert(true)
#define KANN_REAL_END() static_assert(true)
#define KANN_REAL_SPACE scalar
#define KANN_REAL KANN_HOST_DEVICE
#endif

KANN_REAL_BEGIN();
namespace kann::interpolation::KANN_REAL_SPACE {

#if defined(HWY_NAMESPACE) && HWY_TARGET != HWY_SCALAR  // HWY_SCALAR is left out: its fused operations round twice

namespace hn = hwy::HWY_NAMESPACE;
using RealTag = hn::ScalableTag<double>;
using BitsTag = hn::RebindToUnsigned<RealTag>;
using Real = hn::Vec<RealTag>;
using Bits = hn::Vec<BitsTag>;
using Truth = hn::Mask<RealTag>;
constexpr int k_real_lanes = static_cast<int>(hn::MaxLanes(RealTag()));

KANN_REAL Real real(double x) { return hn::Set(RealTag(), x); }
KANN_REAL Bits bits(std::uint64_t x) { return hn::Set(BitsTag(), x); }
KANN_REAL Bits bits_of(Real x) { return hn::BitCast(BitsTag(), x); }
KANN_REAL Real real_of(Bits x) { return hn::BitCast(RealTag(), x); }
KANN_REAL Bits to_low_bits(Bits exponent) { return hn::ShiftRight<52>(exponent); }
KANN_REAL Bits to_exponent(Bits low_bits) { return hn::ShiftLeft<52>(low_bits); }
KANN_REAL Real load(const double* from) { return hn::Load(RealTag(), from); }
KANN_REAL void store(Real x, double* to) { hn::Store(x, RealTag(), to); }

/// a·b + c and c − a·b, rounded once.
KANN_REAL Real fused(Real a, Real b, Real c) { return hn::MulAdd(a, b, c); }
KANN_REAL Real fused_from(Real c, Real a, Real b) { return hn::NegMulAdd(a, b, c); }
KANN_REAL Real root(Real x) { return hn::Sqrt(x); }
KANN_REAL Real magnitude(Real x) { return hn::Abs(x); }
/// larger() is a where a > b, else b, also where a is NaN, as the processor's maximum.
KANN_REAL Real choose(Truth t, Real yes, Real no) { return hn::IfThenElse(t, yes, no); }
KANN_REAL Real larger(Real a, Real b) { return hn::Max(a, b); }
KANN_REAL Truth both(Truth a, Truth b) { return hn::And(a, b); }
KANN_REAL Truth either(Truth a, Truth b) { return hn::Or(a, b); }

#else

using Real = double;
using Bits = std::uint64_t;
using Truth = bool;
constexpr int k_real_lanes = 1;

KANN_REAL Real real(double x) { return x; }
KANN_REAL Bits bits(std::uint64_t x) { return x; }
KANN_REAL Bits bits_of(Real x) {
#ifdef __CUDA_ARCH__
  return static_cast<Bits>(__double_as_longlong(x));
#else
  Bits b;
  std::memcpy(&b, &x, sizeof b);
  return b;
#endif
}
KANN_REAL Real real_of(Bits b) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(b));
#else
  Real x;
  std::memcpy(&x, &b, sizeof x);
  return x;
#endif
}
KANN_REAL Bits to_low_bits(Bits exponent) { return exponent >> 52; }
KANN_REAL Bits to_exponent(Bits low_bits) { return low_bits << 52; }
KANN_REAL Real load(const double* from) { return *from; }
KANN_REAL void store(Real x, double* to) { *to = x; }

/// a·b + c and c − a·b, rounded once.
KANN_REAL Real fused(Real a, Real b, Real c) { return std::fma(a, b, c); }
KANN_REAL Real fused_from(Real c, Real a, Real b) { return std::fma(-a, b, c); }
KANN_REAL Real root(Real x) { return std::sqrt(x); }
KANN_REAL Real magnitude(Real x) { return std::fabs(x); }
KANN_REAL Real choose(Truth t, Real yes, Real no) { return t ? yes : no; }
KANN_REAL Real larger(Real a, Real b) { return a > b ? a : b; }
KANN_REAL Truth both(Truth a, Truth b) { return a && b; }
KANN_REAL Truth either(Truth a, Truth b) { return a || b; }

#endif

}  // namespace kann::interpolation::KANN_REAL_SPACE
KANN_REAL_END();
