// Correctly rounded float32 roots of float64s. Compiled once per vector target: see lanes-inl.hpp.
#pragma once

#include <cstdint>

#include "cpu/vector/lanes-inl.hpp"
#include "geometry/exact_neighbor.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// rounded_root() of each lane, computed from its float64 root.
HWY_INLINE hn::Vec<HalfFloats> roots_by_float64(hn::Vec<Doubles> squares) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(HalfFloats(), rounded_root(hn::GetLane(squares)));
#else
  const Longs d;
  const auto roots = hn::Sqrt(squares);
  const auto above = hn::MulSub(roots, roots, squares);
  const auto is_above = hn::RebindMask(d, hn::Gt(above, hn::Zero(Doubles())));
  const auto is_inexact = hn::RebindMask(d, hn::Ne(above, hn::Zero(Doubles())));
  const auto down = hn::Add(hn::BitCast(d, roots), hn::VecFromMask(d, is_above));
  const auto odd = hn::Or(down, hn::IfThenElseZero(is_inexact, hn::Set(d, 1)));
  return hn::DemoteTo(HalfFloats(), hn::BitCast(Doubles(), odd));
#endif
}

/// rounded_root() of each lane. A float64 root takes five times as long as a float32 root, and one step of Newton's
/// method brings the latter to a relative error of 2⁻³⁴: the float32 root R is within 2⁻²³; R² is exact in float64; the
/// reciprocal is within 2⁻¹¹. The error is below 2¹⁹ units in the last place of float64, and float32 drops 2²⁹ of
/// these: so the result rounds correctly unless the middle of two float32s is that near. NEON's reciprocal is only
/// within 2⁻⁸·⁴. But a root beside a middle is half of 2²⁹ units from R, and 2²⁸ · 2⁻⁸·⁴ is below the margin, too.
HWY_INLINE hn::Vec<HalfFloats> rounded_roots(hn::Vec<Doubles> squares) {
#if HWY_TARGET == HWY_SCALAR
  return roots_by_float64(squares);
#else
  const Doubles d;
  const Longs di;
  const auto float_roots = hn::Sqrt(hn::DemoteTo(HalfFloats(), squares));
  const auto rough = hn::PromoteTo(d, float_roots);
  const auto half_reciprocals = hn::Mul(hn::PromoteTo(d, hn::ApproximateReciprocal(float_roots)), hn::Set(d, 0.5));
  const auto roots = hn::MulAdd(hn::NegMulAdd(rough, rough, squares), half_reciprocals, rough);

  constexpr std::int64_t dropped = std::int64_t{1} << 29, margin = std::int64_t{1} << 20;
  const auto beyond_margin =
      hn::And(hn::Sub(hn::BitCast(di, roots), hn::Set(di, dropped / 2 - margin)), hn::Set(di, dropped - 1));
  const auto near_middle = hn::RebindMask(d, hn::Lt(beyond_margin, hn::Set(di, 2 * margin)));
  const auto in_range = hn::And(hn::Gt(squares, hn::Set(d, 0x1p-120)), hn::Lt(squares, hn::Set(d, 0x1p120)));
  if (!hn::AllTrue(d, hn::AndNot(near_middle, in_range))) return roots_by_float64(squares);
  return hn::DemoteTo(HalfFloats(), roots);
#endif
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
