// The k nearest points of a query so far, in registers, and what the keys of such a list are. Compiled once per vector
// target: see lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/eight_keys-inl.hpp"
#include "cpu/vector/names.hpp"
#include "geometry/distance.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// No neighbour, inside a list: after every key of a point, and a finite double (k_absent is a NaN).
constexpr NeighborKey k_none = NeighborKey{0x7f800000} << 32 | 0xffffffffu;

/// What the keys of a list are: here, neighbours.
struct NeighborKeys {
  static constexpr NeighborKey none = k_none;
  static constexpr bool is_filter = false;
};
/// Neighbours by float32 squared distances that only filter: the list knows the smallest key that it has left out.
struct FilterKeys {
  static constexpr NeighborKey none = k_none;
  static constexpr bool is_filter = true;
};
/// Float64s that are not negative; several may be equal.
struct Float64Keys {
  static constexpr NeighborKey none = std::bit_cast<NeighborKey>(std::numeric_limits<double>::infinity());
  static constexpr bool is_filter = false;
};

/// A sorted list of `size` ≤ kCapacity keys in registers. Keys are compared as doubles, of which every processor has a
/// vector minimum: the bits of a key are a positive, finite double, which orders them the same way. An insertion has no
/// branch: each place takes the median of its own key, the key of the place before and the new key.
template <int kCapacity, class Content = NeighborKeys>
class RegisterList {
 public:
  template <class OtherContent>
  using Of = RegisterList<kCapacity, OtherContent>;
  static constexpr int k_capacity = kCapacity;
  explicit RegisterList(std::int64_t size = 0) : size_(static_cast<int>(size)) {
    // Aligned to the right, so that the last lane is the last place at any size.
    HWY_ALIGN double places[kCapacity];
    for (int i = 0; i < kCapacity; ++i) places[i] = i < kCapacity - size_ ? -1.0 : std::bit_cast<double>(Content::none);
    for (int r = 0; r < k_registers; ++r) empty_[r] = hn::Load(Keys(), places + r * k_key_lanes);
    clear();
  }

  HWY_INLINE void clear() {
    for (int r = 0; r < k_registers; ++r) keys_[r] = empty_[r];
    if constexpr (Content::is_filter) left_out_ = hn::Set(Keys(), std::bit_cast<double>(Content::none));
  }

  /// A point farther than this cannot enter the list.
  HWY_INLINE hn::Vec<Floats> bound() const {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(Floats(), sq_dist_of(std::bit_cast<NeighborKey>(hn::GetLane(keys_[k_registers - 1]))));
#else
    const Signed d;
    const auto last = hn::IndicesFromVec(d, hn::Set(d, k_lanes - 1));
    return hn::BitCast(Floats(), hn::TableLookupLanes(hn::BitCast(d, keys_[k_registers - 1]), last));
#endif
  }

  /// The id of the last place: a key enters the list if it is below (bound(), last_id()).
  HWY_INLINE hn::Vec<Signed> last_id() const {
    const Signed d;
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(d, neighbor_id(std::bit_cast<NeighborKey>(hn::GetLane(keys_[k_registers - 1]))));
#else
    return hn::TableLookupLanes(hn::BitCast(d, keys_[k_registers - 1]), hn::IndicesFromVec(d, hn::Set(d, k_lanes - 2)));
#endif
  }

  HWY_INLINE float last_sq_dist() const { return sq_dist_of(last_key()); }

  /// The last key; and the last value, in all lanes, of a list of float64s.
  HWY_INLINE NeighborKey last_key() const { return key_at(kCapacity - 1); }
  HWY_INLINE hn::Vec<Keys> last_value() const {
#if HWY_TARGET == HWY_SCALAR
    return keys_[k_registers - 1];
#else
    return hn::TableLookupLanes(keys_[k_registers - 1], hn::IndicesFromVec(Keys(), hn::Set(Longs(), k_key_lanes - 1)));
#endif
  }

  /// Whether every key that was left out is farther than `bound`.
  HWY_INLINE bool leaves_out_only_beyond(hn::Vec<Floats> bound) const {
    static_assert(Content::is_filter);
    const NeighborKey last = neighbor_key(hn::GetLane(bound), 0xffffffffu);
    return hn::AllTrue(Keys(), hn::Gt(left_out_, hn::Set(Keys(), std::bit_cast<double>(last))));
  }

  /// Inserts `key`, which must not be in the list.
  HWY_INLINE void insert(NeighborKey key) {
    const auto k = hn::Set(Keys(), std::bit_cast<double>(key));
    if constexpr (Content::is_filter) {  // the last place leaves out the larger one of its key and the new one
      const auto others = hn::FirstN(Keys(), k_key_lanes - 1);
      left_out_ = hn::Min(left_out_, hn::IfThenElse(others, left_out_, hn::Max(keys_[k_registers - 1], k)));
    }
    for (int r = k_registers - 1; r >= 0; --r)
      keys_[r] = hn::Max(moved_up(r > 0 ? keys_[r - 1] : hn::Set(Keys(), -1.0), keys_[r]), hn::Min(keys_[r], k));
  }

  HWY_INLINE void insert_if_new(NeighborKey key) {
    const auto k = hn::Set(Keys(), std::bit_cast<double>(key));
    auto same = hn::Eq(keys_[0], k);
    for (int r = 1; r < k_registers; ++r) same = hn::Or(same, hn::Eq(keys_[r], k));
    if (hn::AllFalse(Keys(), same)) insert(key);
  }

  /// Inserts all candidates; with `may_repeat`, the list may have some of them already.
  template <int kCandidates>
  HWY_INLINE void insert(const CandidateBuffer<kCandidates>& candidates, bool may_repeat) {
    insert(candidates.sq_dists, candidates.ids, candidates.count, may_repeat);
  }
  HWY_INLINE void insert(const float* sq_dists, const std::uint32_t* ids, std::int64_t count, bool may_repeat = false) {
#if HWY_TARGET == HWY_AVX3
    if constexpr (k_registers == 1) {
      for (std::int64_t i = 0; i < count; i += 8) {
        const __m256i some_ids = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids + i));
        const __m256i some_sq_dists = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sq_dists + i));
        const __m512i keys = _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(some_sq_dists), 32),
                                             _mm512_cvtepu32_epi64(some_ids));
        auto fresh = static_cast<__mmask8>(0xff >> std::max<std::int64_t>(0, i + 8 - count));
        if (may_repeat) fresh = static_cast<__mmask8>(fresh & ~repeated(keys, _mm512_castpd_si512(keys_[0].raw)));
        insert_eight(
            _mm512_mask_blend_pd(fresh, _mm512_set1_pd(std::bit_cast<double>(k_none)), _mm512_castsi512_pd(keys)));
      }
      return;
    }
#endif
    for (std::int64_t i = 0; i < count; ++i) {
      const NeighborKey key = neighbor_key(sq_dists[i], ids[i]);
      if (may_repeat) {
        insert_if_new(key);
      } else {
        insert(key);
      }
    }
  }

  /// Inserts float64s; up to k_key_lanes numbers past them are read.
  HWY_INLINE void insert_values(const double* values, std::int64_t count) {
    static_assert(std::is_same_v<Content, Float64Keys>);
#if HWY_TARGET == HWY_AVX3
    if constexpr (k_registers == 1) {
      for (std::int64_t i = 0; i < count; i += 8)
        insert_eight(_mm512_mask_loadu_pd(_mm512_set1_pd(std::bit_cast<double>(Content::none)),
                                          static_cast<__mmask8>(0xff >> std::max<std::int64_t>(0, i + 8 - count)),
                                          values + i));
      return;
    }
#endif
    for (std::int64_t i = 0; i < count; ++i) insert(std::bit_cast<NeighborKey>(values[i]));
  }

  /// Sorts the list. This one is always sorted.
  void finish() {}

  /// Writes the list to `out`, which holds k_capacity keys; returns where it begins there.
  HWY_INLINE const NeighborKey* write(NeighborKey* out) const {
    HWY_ALIGN double places[kCapacity];
    for (int r = 0; r < k_registers; ++r) hn::Store(keys_[r], Keys(), places + r * k_key_lanes);
    std::memcpy(out, places, sizeof places);
    return out + (kCapacity - size_);
  }

 private:
  static constexpr int k_registers = kCapacity / k_key_lanes;

  HWY_INLINE NeighborKey key_at(int place) const {
    NeighborKey key;
    std::memcpy(&key, reinterpret_cast<const unsigned char*>(keys_) + place * sizeof key, sizeof key);
    return key;
  }

#if HWY_TARGET == HWY_AVX3
  HWY_INLINE void insert_eight(__m512d more) {
    const __m512d falling = sorted_falling(more);
    if constexpr (Content::is_filter)
      left_out_.raw = _mm512_min_pd(left_out_.raw, _mm512_max_pd(keys_[0].raw, falling));
    keys_[0].raw = sorted_bitonic(_mm512_min_pd(keys_[0].raw, falling));
  }
#endif

  /// The lanes of `v` moved up by one place, with the last lane of `before` in the first.
  static HWY_INLINE hn::Vec<Keys> moved_up(hn::Vec<Keys> before, hn::Vec<Keys> v) {
#if HWY_TARGET == HWY_SCALAR
    (void)v;
    return before;
#elif HWY_TARGET == HWY_AVX2
    const __m256d across = _mm256_permute2f128_pd(before.raw, v.raw, 0x21);
    return hn::Vec<Keys>{_mm256_shuffle_pd(across, v.raw, 0x5)};
#elif HWY_TARGET == HWY_NEON
    return hn::CombineShiftRightLanes<1>(Keys(), v, before);
#else
    return hn::Vec<Keys>{
        _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(v.raw), _mm512_castpd_si512(before.raw), 7))};
#endif
  }

  hn::Vec<Keys> keys_[k_registers], empty_[k_registers];
  hn::Vec<Keys> left_out_;  // the smallest key that was left out, in one of the lanes
  int size_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
