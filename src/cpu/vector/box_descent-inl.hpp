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

/// Calls visit(bucket) for every bucket whose box is within `bounds`, until it returns false; then returns false. The
/// caller may lower the bounds in visit(), and increments `updates` when it has: what a group of boxes had within the
/// bounds before is tested again then, so that of many copies of a point few buckets are visited.
template <class Level, class Bounds, class Visit>
HWY_INLINE bool descend(const std::vector<Level>& levels, const Bounds& bounds, const std::int64_t& updates,
                        Visit visit) {
  struct Group {
    std::int64_t begin;   // its first box
    std::uint32_t near;   // its boxes that are still to be visited, the first in the lowest bit
    std::int64_t tested;  // `updates` when they were tested
  };
  std::array<Group, 8> path;  // 16⁸ buckets are more than there can be points
  const int top = static_cast<int>(levels.size()) - 1;
  int level = top;
  path[top] = {0, bounds.near(levels[top], 0), updates};
  for (;;) {
    Group& group = path[level];
    if (group.near != 0 && group.tested != updates) {
      group.near &= bounds.near(levels[level], group.begin);
      group.tested = updates;
    }
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
      path[level] = {box * k_group, bounds.near(levels[level], box * k_group), updates};
    }
  }
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
