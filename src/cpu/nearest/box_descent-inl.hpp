// The descent through the tree of boxes to the buckets that may hold a neighbour. Compiled once per vector target: see
// lanes-inl.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "cpu/nearest/boxes.hpp"
#include "cpu/nearest/query_bounds-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The maximum number of levels, each with one group of boxes between the top and a bucket: 16⁸ buckets are more than
/// there can be points.
constexpr std::size_t k_max_levels = 8;

/// The maximum number of groups of one level that a team of queries visits. A team that needs more has queries that are
/// far apart.
constexpr std::int64_t k_max_groups = 128;

/// Writes first + i to `to` for every bit i that is set, in ascending order, and fills up to k_group numbers with any
/// values; returns how many bits are set. E.g. bits 0b101, first 32 → 32, 34.
HWY_INLINE std::int64_t write_set_bits(std::uint32_t bits, std::int64_t first, std::uint32_t* to) {
  constexpr std::uint32_t lanes_mask = (std::uint32_t{1} << k_lanes) - 1;
  for (int part = 0; part < k_group; part += k_lanes) {
    const std::uint64_t some = bits >> part & lanes_mask;  // LoadMaskBits() reads 8 bytes
    const auto mask = hn::LoadMaskBits(Unsigned(), reinterpret_cast<const std::uint8_t*>(&some));
    hn::StoreU(hn::Compress(hn::BitCast(Unsigned(), places_from(first + part)), mask), Unsigned(), to);
    to += std::popcount(some);
  }
  return std::popcount(bits);
}

/// Calls visit(begin, near) for every group of buckets [begin, begin + k_group) that may have buckets within `bounds`;
/// these have their bits set in `near`, the first bucket the lowest. The tree is descended level by level, and groups
/// in their order, so that no branch depends on a single box. Returns false, without visiting all groups, if more than
/// k_max_groups of them are needed in a level, or if visit() returns false.
template <class Level, class Bounds, class Visit>
HWY_INLINE bool for_each_near_group(const std::vector<Level>& levels, const Bounds& bounds, Visit visit) {
  std::uint32_t groups[2][k_max_groups + k_group];
  std::int64_t count = 1;
  groups[0][0] = 0;
  int now = 0;
  for (std::size_t level = levels.size() - 1; level > 0; --level) {
    std::int64_t below = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t begin = std::int64_t{groups[now][i]} * k_group;
      below += write_set_bits(bounds.near(levels[level], begin), begin, groups[1 - now] + below);
      if (below > k_max_groups) return false;
    }
    count = below;
    now = 1 - now;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = std::int64_t{groups[now][i]} * k_group;
    if (!visit(begin, bounds.near(levels[0], begin))) return false;
  }
  return true;
}

/// Calls visit(bucket) for the buckets within the bounds of one query until it returns false. It descends into the
/// nearest box of each group first. visit() may lower the bounds, and after every visit the remaining boxes of the
/// group are compared with them again, so that most boxes are soon left out, even among many copies of a point.
template <class Level, class Bounds, class Visit>
HWY_INLINE bool descend_nearest_first(const std::vector<Level>& levels, const Bounds& bounds, Visit visit) {
  struct Group {
    std::int64_t begin;
    std::uint32_t left;  // its boxes that have not been visited yet
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
