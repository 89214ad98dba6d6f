// The test whether a box may hold a neighbour: by float32, which filters, and by float64, which decides. Compiled once
// per vector target: see lanes-inl.hpp.
#pragma once

#include <cstdint>
#include <limits>

#include "cpu/nearest/boxes.hpp"
#include "cpu/vector/lanes-inl.hpp"
#include "geometry/filter.hpp"
#include "problem/problem.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Squared distances between a box of queries and the boxes from `at` on. No point of a box is nearer, since
/// sq_distance() is monotone in every gap, rounding included. Nothing is near a query of NaN, as the caller's array may
/// have if another thread writes to it: not even the boxes that fill up a group, below which the tree has nothing.
template <std::size_t D, class V, class Level, class Load>
HWY_INLINE V sq_gaps(const V (&lo)[D], const V (&hi)[D], const Level& boxes, std::int64_t at, Load load) {
  V gaps[D];
  for (std::size_t a = 0; a < D; ++a) {
    const V below_box = hn::Sub(load(boxes.lo[a].data() + at), hi[a]);
    const V above_box = hn::Sub(lo[a], load(boxes.hi[a].data() + at));
    gaps[a] = larger_or_nan(hn::Zero(hn::DFromV<V>()), hn::Max(below_box, above_box));
  }
  return sum_of_squares(gaps);
}

/// Squared distances from a query to the boxes of a group.
template <class Real>
struct SqGaps {
  HWY_ALIGN Real of[k_group];
};

/// Which boxes of `left` are the nearest in it and may hold a neighbour, as bits like those of near(). below(sq_gaps,
/// first box) returns which boxes of a vector may hold one.
template <class Real, class Below>
HWY_INLINE std::uint32_t nearest_of(const SqGaps<Real>& gaps, std::uint32_t left, Below below) {
  const hn::ScalableTag<Real> d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  const auto none = hn::Set(d, std::numeric_limits<Real>::infinity());
  auto least = none;
  for (int part = 0; part < k_group; part += lanes) {
    const std::uint64_t bits = left >> part;  // LoadMaskBits() reads 8 bytes
    const auto some = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&bits));
    least = hn::Min(least, hn::IfThenElse(some, hn::Load(d, gaps.of + part), none));
  }
  least = hn::MinOfLanes(d, least);
  std::uint32_t all = 0;
  for (int part = 0; part < k_group; part += lanes) {
    const auto some = hn::Load(d, gaps.of + part);
    all |= lanes_of(d, hn::And(hn::Eq(some, least), below(some, part))) << part;
  }
  return all & left;
}

/// A query, or the box of a team of queries, in float32, and the largest float32 squared distance that a neighbour may
/// have, which is finite.
template <int D>
struct FilterBounds {
  using Real = float;
  hn::Vec<Floats> lo[D], hi[D];
  hn::Vec<Floats> bound;

  /// Which of the k_group boxes from `begin` on may hold a neighbour, the first in the lowest bit.
  HWY_INLINE std::uint32_t near(const BoxLevel<D>& boxes, std::int64_t begin) const {
    std::uint32_t all = 0;
    for (int part = 0; part < k_group; part += k_lanes) {
      const auto load = [](const float* from) HWY_ATTR { return hn::LoadU(Floats(), from); };
      all |= lanes_of(Floats(), hn::Le(sq_gaps(lo, hi, boxes, begin + part, load), bound)) << part;
    }
    return all;
  }

  /// The squared distances of the k_group boxes from `begin` on, and which of those in `left` are to be visited next.
  HWY_INLINE void measure(const BoxLevel<D>& boxes, std::int64_t begin, SqGaps<float>& gaps) const {
    const auto load = [](const float* from) HWY_ATTR { return hn::LoadU(Floats(), from); };
    for (int part = 0; part < k_group; part += k_lanes)
      hn::Store(sq_gaps(lo, hi, boxes, begin + part, load), Floats(), gaps.of + part);
  }
  HWY_INLINE std::uint32_t nearest(const BoxLevel<D>&, std::int64_t, const SqGaps<float>& gaps,
                                   std::uint32_t left) const {
    return nearest_of(gaps, left, [&](hn::Vec<Floats> sq_dists, int) HWY_ATTR { return hn::Le(sq_dists, bound); });
  }

  /// Makes these the bounds of a query anywhere in the box around both.
  HWY_INLINE void enclose(const FilterBounds& other) {
    for (int a = 0; a < D; ++a) {
      lo[a] = hn::Min(lo[a], other.lo[a]);
      hi[a] = hn::Max(hi[a], other.hi[a]);
    }
    bound = hn::Max(bound, other.bound);
  }
};

/// Like FilterBounds, where float32 is exact: the (squared distance, id) of a neighbour is below (bound, last_id).
template <int D>
struct TiedBounds {
  using Real = float;
  hn::Vec<Floats> lo[D], hi[D];
  hn::Vec<Floats> bound;
  hn::Vec<Signed> last_id;

  HWY_INLINE std::uint32_t near(const BoxLevel<D>& boxes, std::int64_t begin) const {
    std::uint32_t all = 0;
    for (int part = 0; part < k_group; part += k_lanes) {
      const auto load = [](const float* from) HWY_ATTR { return hn::LoadU(Floats(), from); };
      const auto sq_dists = sq_gaps(lo, hi, boxes, begin + part, load);
      all |= lanes_of(Floats(), below(sq_dists, boxes.first_id.data() + begin + part)) << part;
    }
    return all;
  }

  HWY_INLINE void measure(const BoxLevel<D>& boxes, std::int64_t begin, SqGaps<float>& gaps) const {
    const auto load = [](const float* from) HWY_ATTR { return hn::LoadU(Floats(), from); };
    for (int part = 0; part < k_group; part += k_lanes)
      hn::Store(sq_gaps(lo, hi, boxes, begin + part, load), Floats(), gaps.of + part);
  }
  HWY_INLINE std::uint32_t nearest(const BoxLevel<D>& boxes, std::int64_t begin, const SqGaps<float>& gaps,
                                   std::uint32_t left) const {
    return nearest_of(gaps, left, [&](hn::Vec<Floats> sq_dists, int part) HWY_ATTR {
      return below(sq_dists, boxes.first_id.data() + begin + part);
    });
  }

  HWY_INLINE void enclose(const TiedBounds& other) {
    for (int a = 0; a < D; ++a) {
      lo[a] = hn::Min(lo[a], other.lo[a]);
      hi[a] = hn::Max(hi[a], other.hi[a]);
    }
    const auto longer = hn::RebindMask(Signed(), hn::Gt(other.bound, bound));
    const auto shorter = hn::RebindMask(Signed(), hn::Lt(other.bound, bound));
    last_id = hn::IfThenElse(longer, other.last_id, hn::IfThenElse(shorter, last_id, hn::Max(last_id, other.last_id)));
    bound = hn::Max(bound, other.bound);
  }

 private:
  HWY_INLINE hn::Mask<Floats> below(hn::Vec<Floats> sq_dists, const std::int32_t* first_ids) const {
    const auto sooner = hn::RebindMask(Floats(), hn::Lt(hn::LoadU(Signed(), first_ids), last_id));
    return hn::Or(hn::Lt(sq_dists, bound), hn::And(hn::Eq(sq_dists, bound), sooner));
  }
};

/// Like TiedBounds, in float64.
template <int D>
struct Float64Bounds {
  using Real = double;
  hn::Vec<Doubles> lo[D], hi[D];
  hn::Vec<Doubles> bound;
  hn::Vec<Longs> last_id;

  HWY_INLINE hn::Mask<Doubles> below(hn::Vec<Doubles> sq_dists, hn::Vec<Longs> ids) const {
    const auto tied = hn::And(hn::Eq(sq_dists, bound), hn::RebindMask(Doubles(), hn::Lt(ids, last_id)));
    return hn::Or(hn::Lt(sq_dists, bound), tied);
  }

  template <class Real>
  HWY_INLINE std::uint32_t near(const BoxLevel<D, Real>& boxes, std::int64_t begin) const {
    std::uint32_t all = 0;
    for (int part = 0; part < k_group; part += k_key_lanes) {
      const auto load = [](const Real* from) HWY_ATTR { return load_doubles(from); };
      const auto gaps = sq_gaps(lo, hi, boxes, begin + part, load);
      all |= lanes_of(Doubles(), below(gaps, load_longs(boxes.first_id.data() + begin + part))) << part;
    }
    return all;
  }

  template <class BoxReal>
  HWY_INLINE void measure(const BoxLevel<D, BoxReal>& boxes, std::int64_t begin, SqGaps<double>& gaps) const {
    const auto load = [](const BoxReal* from) HWY_ATTR { return load_doubles(from); };
    for (int part = 0; part < k_group; part += k_key_lanes)
      hn::Store(sq_gaps(lo, hi, boxes, begin + part, load), Doubles(), gaps.of + part);
  }
  template <class BoxReal>
  HWY_INLINE std::uint32_t nearest(const BoxLevel<D, BoxReal>& boxes, std::int64_t begin, const SqGaps<double>& gaps,
                                   std::uint32_t left) const {
    return nearest_of(gaps, left, [&](hn::Vec<Doubles> sq_dists, int part) HWY_ATTR {
      return below(sq_dists, load_longs(boxes.first_id.data() + begin + part));
    });
  }

  HWY_INLINE void enclose(const Float64Bounds& other) {
    for (int a = 0; a < D; ++a) {
      lo[a] = hn::Min(lo[a], other.lo[a]);
      hi[a] = hn::Max(hi[a], other.hi[a]);
    }
    const auto longer = hn::RebindMask(Longs(), hn::Gt(other.bound, bound));
    const auto shorter = hn::RebindMask(Longs(), hn::Lt(other.bound, bound));
    last_id = hn::IfThenElse(longer, other.last_id, hn::IfThenElse(shorter, last_id, hn::Max(last_id, other.last_id)));
    bound = hn::Max(bound, other.bound);
  }
};

/// The smallest normal float32. An operation on a smaller number takes a hundred cycles.
inline constexpr float k_smallest = 0x1p-126f;

/// Widens a float32 squared distance g, in all lanes, to at least filter.above(filter.exact_above(g)), with few
/// operations on vectors: a point that is farther than that in float32 is farther in float64 than any point at g. In
/// the notation of geometry/filter.hpp:
///
/// GivenFilter: that is (g + 2⁻¹⁴⁷)(1 + 8u)² + 2⁻¹⁴⁷, rounded up by at most 2u of it or 2⁻¹⁴⁹, below g(1 + 18.1u) +
/// 2⁻¹⁴⁵. fma(g, 1 + 32u, 2⁻¹²⁶) is at least (g(1 + 32u) + 2⁻¹²⁶)(1 - u)².
///
/// FrameFilter, where the problem is rounded: with R = √g, its root₁ = ((R + 2⁻⁷³)(1 + 8u) + slack)·unit; the root of
/// exact_above(g) is at most root₁(1 + 4u) + 2⁻⁵³⁴. So the root of above() is at most R(1 + 20.1u) + 2 slack(1 + 20.1u)
/// + 2⁻⁷¹ + 2⁻⁵³³ / unit, and float32 adds at most 2u to its square. `slack_` holds all terms but the first, (1 + 32u)
/// times as large, rounded up; the float32 operations lose 3u of the root, 2u of the square, and 2⁻¹⁴⁹ where that
/// underflows, less than 2⁻¹²⁶.
class Widening {
 public:
  Widening() = default;
  /// @param largest the largest |coordinate| of the query in the frame
  HWY_INLINE Widening(const Problem& p, float largest) {
    if (!p.is_rounded()) return;
    const double slack = largest < 0x1p120f ? largest * 0x1p-22 + 0x1p-147 : std::numeric_limits<double>::infinity();
    slack_ = rounded_up((2 * slack + 0x1p-70 + 0x1p-532 / p.unit) * (1 + 0x1p-19));
  }

  HWY_INLINE hn::Vec<Floats> operator()(hn::Vec<Floats> sq_dists) const {
    if (slack_ == 0) return hn::MulAdd(sq_dists, hn::Set(Floats(), 1 + 0x1p-19f), hn::Set(Floats(), k_smallest));
    // All lanes are equal, and the roots of a few lanes take less time
    const hn::CappedTag<float, 4> d;
    const auto root =
        hn::MulAdd(hn::Sqrt(hn::Set(d, hn::GetLane(sq_dists))), hn::Set(d, 1 + 0x1p-19f), hn::Set(d, slack_));
    const auto widened = hn::MulAdd(hn::Mul(root, root), hn::Set(d, 1 + 0x1p-19f), hn::Set(d, k_smallest));
    return hn::Set(Floats(), hn::GetLane(widened));
  }

 private:
  float slack_ = 0;  // 0: the problem is not rounded
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
