// The buckets that a team of queries searches together. Compiled once per vector target: see lanes-inl.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "cpu/nearest/box_descent-inl.hpp"
#include "cpu/nearest/boxes.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Buckets that any query of a team may need, and their boxes side by side.
template <int D, class Real>
class SharedBuckets {
 public:
  using Levels = std::vector<BoxLevel<D, Real>>;

  SharedBuckets() {
    for (int a = 0; a < D; ++a) {
      boxes_.lo[a].resize(k_maximum + k_group);
      boxes_.hi[a].resize(k_maximum + k_group);
    }
    boxes_.first_id.resize(k_maximum + k_group);
  }

  /// Collects the buckets within the bounds of the team; returns false if they are too many to be shared. Not inlined:
  /// with several callers, GCC would inline all of it but the innermost part, and save all registers for each call of
  /// that (3 % of the search).
  template <class Bounds>
  HWY_NOINLINE bool find(const Levels& levels, const Bounds& team) {
    count_ = 0;
    return for_each_near_group(levels, team, [&](std::int64_t begin, std::uint32_t near) HWY_ATTR {
      append(levels.front(), begin, near);
      return count_ <= k_maximum;
    });
  }

  /// Calls visit(bucket) for each shared bucket within the bounds of one query, until it returns false.
  template <class Bounds, class Visit>
  HWY_INLINE void for_each_near(const Bounds& bounds, Visit visit) const {
    for (std::int64_t begin = 0; begin < count_; begin += k_group)
      for (std::uint32_t near = near_of_group(bounds, begin); near != 0; near &= near - 1)
        if (!visit(std::int64_t{buckets_[begin + std::countr_zero(near)]})) return;
  }

  /// Writes the shared buckets within the bounds of one query to `near`, at most `maximum` of them; `near` has places
  /// for k_group more. Returns how many there are, or `maximum` if there are more.
  template <class Bounds>
  HWY_INLINE std::int32_t list_near(const Bounds& bounds, std::uint32_t* near, std::int32_t maximum) const {
    std::int32_t found = 0;
    for (std::int64_t begin = 0; begin < count_; begin += k_group) {
      std::uint64_t bits = near_of_group(bounds, begin);  // LoadMaskBits() reads 8 bytes
      std::uint32_t* to = near + found;
      found = std::min(maximum, found + std::popcount(bits));
      for (int part = 0; part < k_group; part += k_lanes, bits >>= k_lanes) {
        const auto mask = hn::LoadMaskBits(Unsigned(), reinterpret_cast<const std::uint8_t*>(&bits));
        hn::StoreU(hn::Compress(hn::LoadU(Unsigned(), &buckets_[begin + part]), mask), Unsigned(), to);
        to += hn::CountTrue(Unsigned(), mask);
      }
    }
    return found;
  }

 private:
  /// The maximum number of shared buckets. If a team needs more, its queries are far apart, and each descends alone.
  static constexpr std::int64_t k_maximum = 128;

  /// Appends the boxes of a group whose bits are set. It stores whole vectors: the number of boxes cannot be predicted.
  HWY_INLINE void append(const BoxLevel<D, Real>& level, std::int64_t begin, std::uint64_t bits) {
    const hn::ScalableTag<Real> d;
    const hn::Rebind<std::int32_t, decltype(d)> di;
    constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
    for (int part = 0; part < k_group; part += lanes, bits >>= lanes) {
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&bits);
      const auto near = hn::LoadMaskBits(d, bytes);
      for (int a = 0; a < D; ++a) {
        hn::StoreU(hn::Compress(hn::LoadU(d, &level.lo[a][begin + part]), near), d, &boxes_.lo[a][count_]);
        hn::StoreU(hn::Compress(hn::LoadU(d, &level.hi[a][begin + part]), near), d, &boxes_.hi[a][count_]);
      }
      const auto near_ids = hn::LoadMaskBits(di, bytes);
      const auto places = hn::Add(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(begin + part)));
      hn::StoreU(hn::Compress(hn::LoadU(di, &level.first_id[begin + part]), near_ids), di, &boxes_.first_id[count_]);
      hn::StoreU(hn::Compress(places, near_ids), di, reinterpret_cast<std::int32_t*>(&buckets_[count_]));
      count_ += static_cast<std::int64_t>(hn::CountTrue(d, near));
    }
  }

  template <class Bounds>
  HWY_INLINE std::uint32_t near_of_group(const Bounds& bounds, std::int64_t begin) const {
    const std::uint32_t near = bounds.near(boxes_, begin);
    return count_ - begin < k_group ? near & ((1u << (count_ - begin)) - 1) : near;
  }

  BoxLevel<D, Real> boxes_;  // the boxes of buckets_[0 … count_)
  std::array<std::uint32_t, k_maximum + k_group> buckets_{};
  std::int64_t count_ = 0;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
