// The test whether a box or a point may hold a neighbour. Compiled once per vector target: see lanes-inl.hpp.
#if defined(KANN_QUERY_BOUNDS_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_QUERY_BOUNDS_TOGGLE
#undef KANN_QUERY_BOUNDS_TOGGLE
#else
#define KANN_QUERY_BOUNDS_TOGGLE
#endif

#include <cstdint>

#include "cpu/vector/box_level.hpp"
#include "cpu/vector/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// A query, or the box of a team of queries, and the key that a neighbour must be below.
template <int D>
struct QueryBounds {
  hn::Vec<Floats> lo[D], hi[D];
  hn::Vec<Floats> bound;
  hn::Vec<Signed> last_id;

  /// Which lanes are below that key.
  HWY_INLINE std::uint32_t below(hn::Vec<Floats> sq_dists, hn::Vec<Signed> ids) const {
    const auto tied = hn::And(hn::Eq(sq_dists, bound), hn::RebindMask(Floats(), hn::Lt(ids, last_id)));
    return lanes_of(hn::Or(hn::Lt(sq_dists, bound), tied));
  }

  /// Which of the k_group boxes from `begin` on may hold a point below that key, the first in the lowest bit.
  HWY_INLINE std::uint32_t near(const BoxLevel<D>& boxes, std::int64_t begin) const {
    std::uint32_t all = 0;
    for (int part = 0; part < k_group; part += k_lanes) {
      const std::int64_t at = begin + part;
      hn::Vec<Floats> gaps[D];
      for (int a = 0; a < D; ++a) {
        const auto below_box = hn::Sub(hn::LoadU(Floats(), boxes.lo[a].data() + at), hi[a]);
        const auto above_box = hn::Sub(lo[a], hn::LoadU(Floats(), boxes.hi[a].data() + at));
        gaps[a] = hn::Max(hn::Max(below_box, above_box), hn::Zero(Floats()));
      }
      all |= below(sum_of_squares(gaps), hn::LoadU(Signed(), boxes.first_id.data() + at)) << part;
    }
    return all;
  }
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
