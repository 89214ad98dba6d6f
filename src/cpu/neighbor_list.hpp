// The k nearest of a query so far. Included once for every level, after <hwy/highway.h>: see vectors.hpp.
#if defined(KANN_NEIGHBOR_LIST_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_NEIGHBOR_LIST_TOGGLE
#undef KANN_NEIGHBOR_LIST_TOGGLE
#else
#define KANN_NEIGHBOR_LIST_TOGGLE
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cpu/sort_keys.hpp"
#include "geometry/distance.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Keys = hn::ScalableTag<double>;
constexpr int k_lanes = static_cast<int>(hn::MaxLanes(Floats()));
constexpr int k_key_lanes = static_cast<int>(hn::MaxLanes(Keys()));

/// Stands for no neighbour inside a list: after every key of a point, and its distance is a number.
constexpr NeighborKey k_none = NeighborKey{0x7f800000} << 32 | 0xffffffffu;

/// A sorted list of `size` ≤ kMost keys in registers. Keys are compared as doubles, of which every processor has a
/// vector minimum: the bits of a key are a positive, finite double in the same order. An insertion has no branch: each
/// place takes the middle one of what it holds, of the place before and of the new key.
template <int kMost>
class RegisterList {
 public:
  static constexpr int k_most = kMost;
  explicit RegisterList(std::int64_t size) : size_(static_cast<int>(size)) {
    // Aligned to the right, so that the last lane is the last place at any size.
    HWY_ALIGN double places[kMost];
    for (int i = 0; i < kMost; ++i) places[i] = i < kMost - size_ ? -1.0 : std::bit_cast<double>(k_none);
    for (int r = 0; r < k_registers; ++r) empty_[r] = hn::Load(Keys(), places + r * k_key_lanes);
    clear();
  }

  HWY_INLINE void clear() {
    for (int r = 0; r < k_registers; ++r) keys_[r] = empty_[r];
  }

  /// No farther than this, a point may get in.
  HWY_INLINE hn::Vec<Floats> bound() const {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(Floats(), sq_dist_of(std::bit_cast<NeighborKey>(hn::GetLane(keys_[k_registers - 1]))));
#else
    const hn::RebindToSigned<Floats> d;
    const auto last = hn::IndicesFromVec(d, hn::Set(d, k_lanes - 1));
    return hn::BitCast(Floats(), hn::TableLookupLanes(hn::BitCast(d, keys_[k_registers - 1]), last));
#endif
  }

  /// The id of the last place; together with bound(), what a key must be below.
  HWY_INLINE hn::Vec<hn::RebindToSigned<Floats>> last_id() const {
    const hn::RebindToSigned<Floats> d;
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(d, neighbor_id(std::bit_cast<NeighborKey>(hn::GetLane(keys_[k_registers - 1]))));
#else
    return hn::TableLookupLanes(hn::BitCast(d, keys_[k_registers - 1]), hn::IndicesFromVec(d, hn::Set(d, k_lanes - 2)));
#endif
  }

  /// `key` is not in the list.
  HWY_INLINE void insert(NeighborKey key) {
    const auto k = hn::Set(Keys(), std::bit_cast<double>(key));
    for (int r = k_registers - 1; r >= 0; --r)
      keys_[r] = hn::Max(moved_up(r > 0 ? keys_[r - 1] : hn::Set(Keys(), -1.0), keys_[r]), hn::Min(keys_[r], k));
  }

  HWY_INLINE void insert_if_new(NeighborKey key) {
    const auto k = hn::Set(Keys(), std::bit_cast<double>(key));
    auto same = hn::Eq(keys_[0], k);
    for (int r = 1; r < k_registers; ++r) same = hn::Or(same, hn::Eq(keys_[r], k));
    if (hn::AllFalse(Keys(), same)) insert(key);
  }

  /// Puts the list in order: it always is.
  void settle() {}

  /// Room for k_most keys is at `out`; returns where in it the list begins.
  HWY_INLINE const NeighborKey* write(NeighborKey* out) const {
    HWY_ALIGN double places[kMost];
    for (int r = 0; r < k_registers; ++r) hn::Store(keys_[r], Keys(), places + r * k_key_lanes);
    std::memcpy(out, places, sizeof places);
    return out + (kMost - size_);
  }

 private:
  static constexpr int k_registers = kMost / k_key_lanes;

  /// The lanes of `v` one place up, the last lane of `before` in the first.
  static HWY_INLINE hn::Vec<Keys> moved_up(hn::Vec<Keys> before, hn::Vec<Keys> v) {
#if HWY_TARGET == HWY_SCALAR
    (void)v;
    return before;
#elif HWY_TARGET == HWY_AVX2
    const __m256d across = _mm256_permute2f128_pd(before.raw, v.raw, 0x21);
    return hn::Vec<Keys>{_mm256_shuffle_pd(across, v.raw, 0x5)};
#else
    return hn::Vec<Keys>{
        _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(v.raw), _mm512_castpd_si512(before.raw), 7))};
#endif
  }

  hn::Vec<Keys> keys_[k_registers], empty_[k_registers];
  int size_;
};

/// A list of any size in memory (k = 32: twice the time of registers): keys are collected, and the list sorted and cut
/// back when it has doubled.
class BufferList {
 public:
  explicit BufferList(std::int64_t size) : size_(size) { keys_.reserve(static_cast<std::size_t>(2 * size + 64)); }

  void clear() {
    keys_.clear();
    worst_ = k_none;
  }
  hn::Vec<Floats> bound() const { return hn::Set(Floats(), sq_dist_of(worst_)); }
  hn::Vec<hn::RebindToSigned<Floats>> last_id() const {
    return hn::Set(hn::RebindToSigned<Floats>(), neighbor_id(worst_));
  }
  void insert(NeighborKey key) {
    if (key >= worst_) return;
    keys_.push_back(key);
    if (keys_.size() == keys_.capacity()) settle();
  }
  void insert_if_new(NeighborKey key) { insert(key); }  // settle() drops repetitions

  void settle() {
    sort_keys(keys_.data(), static_cast<std::int64_t>(keys_.size()));
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    if (static_cast<std::int64_t>(keys_.size()) < size_) return;
    keys_.resize(static_cast<std::size_t>(size_));
    worst_ = keys_.back();
  }

  static constexpr int k_most = 1;
  const NeighborKey* write(NeighborKey*) {
    keys_.resize(static_cast<std::size_t>(size_), k_none);
    return keys_.data();
  }

 private:
  std::int64_t size_;
  NeighborKey worst_ = k_none;
  std::vector<NeighborKey> keys_;
};

/// The chain of sq_distance() on differences, or gaps, along each axis.
template <std::size_t D>
HWY_INLINE hn::Vec<Floats> sum_of_squares(const hn::Vec<Floats> (&differences)[D]) {
#if HWY_TARGET == HWY_SCALAR  // whose MulAdd rounds twice; std::fma is a call where the processor has none, but right
  const auto d = [&](std::size_t a) { return hn::GetLane(differences[a]); };
  if constexpr (D == 3) return hn::Set(Floats(), sq_distance_3d(d(0), d(1), d(2)));
  if constexpr (D == 2) return hn::Set(Floats(), sq_distance_2d(d(0), d(1)));
#else
  auto sum = hn::Mul(differences[0], differences[0]);
  for (std::size_t a = 1; a < D; ++a) sum = hn::MulAdd(differences[a], differences[a], sum);
  return sum;
#endif
}

/// Which lanes a mask holds, the first in the lowest bit.
template <class Tag, class Mask>
HWY_INLINE std::uint32_t lanes_of(Tag d, Mask mask) {
  std::uint32_t bits = 0;
  alignas(8) std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
