// Vectors of the target that is compiled, and what is computed lane by lane. Compiled once per vector target: see
// highway.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"
#include "geometry/distance.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Signed = hn::RebindToSigned<Floats>;
using Unsigned = hn::RebindToUnsigned<Floats>;
using Keys = hn::ScalableTag<double>;
constexpr int k_lanes = static_cast<int>(hn::MaxLanes(Floats()));
constexpr int k_key_lanes = static_cast<int>(hn::MaxLanes(Keys()));

/// Types whose vectors have a lane for each lane of a vector of float64s.
using Doubles = Keys;
using Longs = hn::RebindToSigned<Doubles>;
using HalfFloats = hn::Rebind<float, Doubles>;
using HalfSigned = hn::Rebind<std::int32_t, Doubles>;

/// place, place + 1, … (Highway 1.0.3 makes an Iota() from anything but a constant lane by lane, through memory.)
HWY_INLINE hn::Vec<Signed> places_from(std::int64_t place) {
  return hn::Add(hn::Iota(Signed(), 0), hn::Set(Signed(), static_cast<std::int32_t>(place)));
}

/// The chain of sq_distance() on differences, or gaps, along each axis, in float32 or float64.
template <class V, std::size_t D>
HWY_INLINE V sum_of_squares(const V (&differences)[D]) {
#if HWY_TARGET == HWY_SCALAR  // its MulAdd rounds twice; std::fma rounds once, even if it has to be a function call
  const auto d = [&](std::size_t a) { return hn::GetLane(differences[a]); };
  const hn::DFromV<V> tag;
  if constexpr (D == 3) return hn::Set(tag, sq_distance_3d(d(0), d(1), d(2)));
  if constexpr (D == 2) return hn::Set(tag, sq_distance_2d(d(0), d(1)));
#else
  auto sum = hn::Mul(differences[0], differences[0]);
  for (std::size_t a = 1; a < D; ++a) sum = hn::MulAdd(differences[a], differences[a], sum);
  return sum;
#endif
}

/// The larger of both numbers, 0 or more if `a` is; NaN if `b` is.
template <class V>
HWY_INLINE V larger_or_nan(V a, V b) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_NEON  // their Max() returns the other number
  return hn::IfThenElse(hn::Lt(b, a), a, b);
#else
  return hn::Max(a, b);
#endif
}

/// Numbers in memory as float64s.
HWY_INLINE hn::Vec<Doubles> load_doubles(const double* from) { return hn::LoadU(Doubles(), from); }
HWY_INLINE hn::Vec<Doubles> load_doubles(const float* from) {
  return hn::PromoteTo(Doubles(), hn::LoadU(HalfFloats(), from));
}

/// Ids in memory, as many as go with float64s.
HWY_INLINE hn::Vec<Longs> load_longs(const std::int32_t* from) {
  return hn::PromoteTo(Longs(), hn::LoadU(HalfSigned(), from));
}
HWY_INLINE hn::Vec<Longs> load_longs(const std::uint32_t* from) {  // below 2³¹
  return load_longs(reinterpret_cast<const std::int32_t*>(from));
}

/// Ids as 32-bit numbers.
HWY_INLINE hn::Vec<HalfSigned> narrow(hn::Vec<Longs> ids) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(HalfSigned(), static_cast<std::int32_t>(hn::GetLane(ids)));
#else
  const hn::RebindToUnsigned<Longs> d;
  const hn::RebindToUnsigned<HalfSigned> half;
  return hn::BitCast(HalfSigned(), hn::TruncateTo(half, hn::BitCast(d, ids)));
#endif
}

/// The lanes of a mask as bits; the first lane has the lowest bit.
template <class Tag>
HWY_INLINE std::uint32_t lanes_of(Tag d, hn::Mask<Tag> mask) {
  constexpr bool wide = hn::MaxLanes(Tag()) == 16;
  std::conditional_t<wide, std::uint16_t, std::uint8_t> bits;  // the load waits for no more than what is written
  alignas(8) std::uint8_t bytes[8];
  hn::StoreMaskBits(d, mask, bytes);
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
