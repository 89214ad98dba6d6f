// Down the tree of boxes to the buckets that may hold a neighbour. Compiled once per vector target: see lanes-inl.hpp.
#if defined(KANN_BOX_DESCENT_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_BOX_DESCENT_TOGGLE
#undef KANN_BOX_DESCENT_TOGGLE
#else
#define KANN_BOX_DESCENT_TOGGLE
#endif

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "cpu/vector/box_level.hpp"
#include "cpu/vector/query_bounds-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Groups of boxes between the top and a bucket, a level each: 16⁸ buckets are more than there can be points.
constexpr std::size_t k_max_levels = 8;

/// Calls visit(bucket) for every bucket whose box is within `bounds`, in their order, until it returns false; then
/// returns false.
template <class Level, class Bounds, class Visit>
HWY_INLINE bool descend(const std::vector<Level>& levels, const Bounds& bounds, Visit visit) {
  struct Group {
    std::int64_t begin;  // its first box
    std::uint32_t near;  // its boxes that are still to be visited, the first in the lowest bit
  };
  std::array<Group, k_max_levels> path;
  const int top = static_cast<int>(levels.size()) - 1;
  int level = top;
  path[top] = {0, bounds.near(levels[top], 0)};
  for (;;) {
    Group& group = path[level];
    if (group.near == 0) {
      if (level++ == top) return true;
      continue;
    }
    const std::int64_t box = group.begin + std::countr_zero(group.near);
    group.near &= group.near - 1;
    if (level == 0) {
      if (!visit(box)) return false;
    } else {
      --level;
      path[level] = {box * k_group, bounds.near(levels[level], box * k_group)};
    }
  }
}

/// The same for one query, the nearest box of each group first, so that the bounds, which visit() may lower, soon leave
/// out most others: those of a group are compared again with every visit. So of many copies of a point few buckets are
/// visited, too.
template <class Level, class Bounds, class Visit>
HWY_INLINE bool descend_nearest_first(const std::vector<Level>& levels, const Bounds& bounds, Visit visit) {
  struct Group {
    std::int64_t begin;
    std::uint32_t left;  // its boxes that were not visited yet
    SqGaps<typename Bounds::Real> gaps;
  };
  std::array<Group, k_max_levels> path;
  const int top = static_cast<int>(levels.size()) - 1;
  int level = top;
  const auto open = [&](std::int64_t begin) HWY_ATTR {
    Group& group = path[level];
    group.begin = begin;
    group.left = (1u << k_group) - 1;
    bounds.measure(levels[level], begin, group.gaps);
  };
  open(0);
  for (;;) {
    Group& group = path[level];
    const std::uint32_t nearest = bounds.nearest(levels[level], group.begin, group.gaps, group.left);
    if (nearest == 0) {
      if (level++ == top) return true;
      continue;
    }
    const int first = std::countr_zero(nearest);
    group.left &= ~(1u << first);
    if (level == 0) {
      if (!visit(group.begin + first)) return false;
    } else {
      --level;
      open((group.begin + first) * k_group);
    }
  }
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
