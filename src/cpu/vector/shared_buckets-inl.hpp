// The buckets that a team of queries searches together. Compiled once per vector target: see lanes-inl.hpp.
#if defined(KANN_SHARED_BUCKETS_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_SHARED_BUCKETS_TOGGLE
#undef KANN_SHARED_BUCKETS_TOGGLE
#else
#define KANN_SHARED_BUCKETS_TOGGLE
#endif

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "cpu/vector/box_descent-inl.hpp"
#include "cpu/vector/box_level.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Buckets that any query of a team may need, and their boxes side by side.
template <int D, class Real>
class SharedBuckets {
 public:
  using Levels = std::vector<BoxLevel<D, Real>>;

  SharedBuckets() {
    for (int a = 0; a < D; ++a) {
      boxes_.lo[a].resize(k_maximum);
      boxes_.hi[a].resize(k_maximum);
    }
    boxes_.first_id.resize(k_maximum);
  }

  /// Collects the buckets within the bounds of the team; false where they are too many to be shared.
  template <class Bounds>
  HWY_INLINE bool find(const Levels& levels, const Bounds& team) {
    count_ = 0;
    const BoxLevel<D, Real>& buckets = levels.front();
    return descend(levels, team, [&](std::int64_t bucket) HWY_ATTR {
      if (count_ == k_maximum) return false;
      for (int a = 0; a < D; ++a) {
        boxes_.lo[a][count_] = buckets.lo[a][bucket];
        boxes_.hi[a][count_] = buckets.hi[a][bucket];
      }
      boxes_.first_id[count_] = buckets.first_id[bucket];
      buckets_[count_++] = bucket;
      return true;
    });
  }

  /// The same, not inlined, for what is seldom asked.
  template <class Bounds>
  HWY_NOINLINE bool find_again(const Levels& levels, const Bounds& bounds) {
    return find(levels, bounds);
  }

  /// Calls visit(bucket) for those within the bounds of one query, until it returns false.
  template <class Bounds, class Visit>
  HWY_INLINE void for_each_near(const Bounds& bounds, Visit visit) const {
    for (std::int64_t begin = 0; begin < count_; begin += k_group) {
      std::uint32_t near = bounds.near(boxes_, begin);
      if (count_ - begin < k_group) near &= (1u << (count_ - begin)) - 1;
      for (; near != 0; near &= near - 1)
        if (!visit(buckets_[begin + std::countr_zero(near)])) return;
    }
  }

 private:
  /// Where a team needs more, its queries are far apart and descend alone.
  static constexpr std::int64_t k_maximum = 128;

  BoxLevel<D, Real> boxes_;  // those of buckets_[0 … count_)
  std::array<std::int64_t, k_maximum> buckets_{};
  std::int64_t count_ = 0;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
