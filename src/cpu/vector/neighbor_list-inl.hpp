// The k nearest points of a query so far. Compiled once per vector target, after <hwy/highway.h>: see highway.hpp.
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

#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/eight_keys-inl.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/sort_keys.hpp"
#include "geometry/distance.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// No neighbour, inside a list: after every key of a point, and a finite double (k_absent is a NaN).
constexpr NeighborKey k_none = NeighborKey{0x7f800000} << 32 | 0xffffffffu;

/// A sorted list of `size` ≤ kCapacity keys in registers. Keys are compared as doubles, of which every processor has a
/// vector minimum: the bits of a key are a positive, finite double, which orders them the same way. An insertion has no
/// branch: each place takes the middle one of what it holds, of the place before and of the new key.
template <int kCapacity>
class RegisterList {
 public:
  static constexpr int k_capacity = kCapacity;
  explicit RegisterList(std::int64_t size) : size_(static_cast<int>(size)) {
    // Aligned to the right, so that the last lane is the last place at any size.
    HWY_ALIGN double places[kCapacity];
    for (int i = 0; i < kCapacity; ++i) places[i] = i < kCapacity - size_ ? -1.0 : std::bit_cast<double>(k_none);
    for (int r = 0; r < k_registers; ++r) empty_[r] = hn::Load(Keys(), places + r * k_key_lanes);
    clear();
  }

  HWY_INLINE void clear() {
    for (int r = 0; r < k_registers; ++r) keys_[r] = empty_[r];
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

  /// The squared distance at a place, and at the last.
  HWY_INLINE float sq_dist(int place) const { return sq_dist_at(kCapacity - size_ + place); }
  HWY_INLINE float last_sq_dist() const { return sq_dist_at(kCapacity - 1); }

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

  /// Inserts all candidates. Their ids are indices, or places in `ids` where that is not null; with `may_repeat`, the
  /// list may have some of them already.
  template <int kCandidates>
  HWY_INLINE void insert(const CandidateBuffer<kCandidates>& candidates, const std::uint32_t* ids, bool may_repeat) {
#if HWY_TARGET == HWY_AVX3
    if constexpr (k_registers == 1) {
      for (std::int64_t i = 0; i < candidates.count; i += 8) {
        __m256i some_ids = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(candidates.ids + i));
        if (ids) some_ids = _mm256_i32gather_epi32(reinterpret_cast<const int*>(ids), some_ids, 4);
        const __m256i sq_dists = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(candidates.sq_dists + i));
        const __m512i keys =
            _mm512_or_si512(_mm512_slli_epi64(_mm512_cvtepu32_epi64(sq_dists), 32), _mm512_cvtepu32_epi64(some_ids));
        auto fresh = static_cast<__mmask8>(0xff >> std::max<std::int64_t>(0, i + 8 - candidates.count));
        if (may_repeat) fresh &= ~repeated(keys, _mm512_castpd_si512(keys_[0].raw));
        const __m512d more =
            _mm512_mask_blend_pd(fresh, _mm512_set1_pd(std::bit_cast<double>(k_none)), _mm512_castsi512_pd(keys));
        keys_[0] = hn::Vec<Keys>{smallest_eight(keys_[0].raw, more)};
      }
      return;
    }
#endif
    for (std::int64_t i = 0; i < candidates.count; ++i) {
      const NeighborKey key = neighbor_key(candidates.sq_dists[i], ids ? ids[candidates.ids[i]] : candidates.ids[i]);
      if (may_repeat) {
        insert_if_new(key);
      } else {
        insert(key);
      }
    }
  }

  /// Sorts the list: this one always is.
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

  HWY_INLINE float sq_dist_at(int place) const {
    NeighborKey key;
    std::memcpy(&key, reinterpret_cast<const unsigned char*>(keys_) + place * sizeof key, sizeof key);
    return sq_dist_of(key);
  }

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

/// A list of any size in memory (k = 32: twice the time of registers). Keys are appended; when the list has doubled, it
/// is sorted and truncated.
class BufferList {
 public:
  explicit BufferList(std::int64_t size) : size_(size) { keys_.reserve(static_cast<std::size_t>(2 * size + 64)); }

  void clear() {
    keys_.clear();
    worst_ = k_none;
  }
  hn::Vec<Floats> bound() const { return hn::Set(Floats(), sq_dist_of(worst_)); }
  hn::Vec<Signed> last_id() const { return hn::Set(Signed(), neighbor_id(worst_)); }
  /// After finish().
  float sq_dist(std::size_t place) const { return sq_dist_of(place < keys_.size() ? keys_[place] : k_none); }
  float last_sq_dist() const { return sq_dist_of(worst_); }
  void insert(NeighborKey key) {
    if (key >= worst_) return;
    keys_.push_back(key);
    if (keys_.size() == keys_.capacity()) finish();
  }
  template <int kCandidates>
  void insert(const CandidateBuffer<kCandidates>& candidates, const std::uint32_t* ids,
              bool) {  // finish() drops repetitions
    for (std::int64_t i = 0; i < candidates.count; ++i)
      insert(neighbor_key(candidates.sq_dists[i], ids ? ids[candidates.ids[i]] : candidates.ids[i]));
  }

  void finish() {
    sort_keys(keys_.data(), static_cast<std::int64_t>(keys_.size()));
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    if (static_cast<std::int64_t>(keys_.size()) < size_) return;
    keys_.resize(static_cast<std::size_t>(size_));
    worst_ = keys_.back();
  }

  static constexpr int k_capacity = 1;
  const NeighborKey* write(NeighborKey*) {
    keys_.resize(static_cast<std::size_t>(size_), k_none);
    return keys_.data();
  }

 private:
  std::int64_t size_;
  NeighborKey worst_ = k_none;
  std::vector<NeighborKey> keys_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
