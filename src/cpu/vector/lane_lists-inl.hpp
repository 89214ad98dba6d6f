// The lists of a team of queries, one per lane. Compiled once per vector target: see lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/lane_networks-inl.hpp"
#include "cpu/vector/register_list-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The sorted lists of k_lanes queries, `size` ≤ kCapacity keys each, that networks merge with the candidates of all
/// queries at once. Keys are compared as doubles, as in RegisterList, so that there are two vectors per place.
template <int kCapacity>
class LaneLists {
 public:
  static constexpr int k_capacity = kCapacity;

  explicit LaneLists(std::int64_t size) : size_(static_cast<int>(size)) { clear(); }

  HWY_INLINE void clear() {
    // Aligned to the right, so that the last place is the same at any size.
    for (auto& half : places_)
      for (int i = 0; i < k_capacity; ++i)
        half[i / 8][i % 8] = hn::Set(Keys(), i < k_capacity - size_ ? -1.0 : std::bit_cast<double>(k_none));
  }

  /// Inserts the candidates of every query; with `may_repeat`, the lists may have some of them already.
  template <int kCandidates>
  HWY_INLINE void insert(const CandidateBuffer<kCandidates> (&candidates)[k_lanes], bool may_repeat) {
    HWY_ALIGN std::int32_t counts[k_lanes];
    std::int32_t most = 0;
    for (int i = 0; i < k_lanes; ++i) {
      counts[i] = static_cast<std::int32_t>(candidates[i].count);
      most = std::max(most, counts[i]);
    }
    for (std::int32_t at = 0; at < most; at += 8) {
      load_eight(candidates, at, hn::Load(Signed(), counts));
      for (int half = 0; half < k_halves; ++half) {
        EightKeys more;
        for (int i = 0; i < 8; ++i) more[i] = key(i, half);
        if (may_repeat)
          for (const EightKeys& some : places_[half]) drop_repeated(some, more);
        sort_eight(more);
        for (int i = 0; i < k_eights - 1; ++i) exchange_eight(places_[half][i], more);
        merge_eight(places_[half][k_eights - 1], more);
      }
    }
  }

  /// Sorts the lists. These are always sorted.
  void finish() {}

  /// The squared distances at the last place of all lists.
  HWY_INLINE void last_sq_dists(float* to) const {
    for (std::int64_t i = 0; i < k_lanes; ++i) {
      const auto* const keys = reinterpret_cast<const double*>(&places_[i / k_key_lanes][k_eights - 1][7]);
      to[i] = sq_dist_of(std::bit_cast<NeighborKey>(keys[i % k_key_lanes]));
    }
  }

  /// Writes all lists, so that list() can return them.
  HWY_INLINE void write() {
    for (int half = 0; half < k_halves; ++half)
      for (int i = 0; i < k_capacity; i += k_key_lanes) {
        hn::Vec<Keys> lists[k_key_lanes];
        transpose_keys(&places_[half][i / 8][i % 8], lists);
        for (int lane = 0; lane < k_key_lanes; ++lane)
          hn::Store(lists[lane], Keys(), reinterpret_cast<double*>(written_[half * k_key_lanes + lane] + i));
      }
  }
  HWY_INLINE const NeighborKey* list(std::int64_t query) const { return written_[query] + (k_capacity - size_); }

 private:
  static constexpr int k_halves = k_lanes / k_key_lanes, k_eights = k_capacity / 8;
  using Words = hn::RebindToUnsigned<Keys>;
  using HalfWords = hn::Rebind<std::uint32_t, Words>;

  /// Sets the squared distances and ids of candidates [at, at + 8) of every query.
  template <int kCandidates>
  HWY_INLINE void load_eight(const CandidateBuffer<kCandidates> (&candidates)[k_lanes], std::int32_t at,
                             hn::Vec<Signed> counts) {
    constexpr std::int64_t stride = sizeof candidates[0] / sizeof(float);
    const auto none = hn::Set(Floats(), std::numeric_limits<float>::infinity());
    Eight sq_dists, ids;
    for (int i = 0; i < 8; i += 4) {
      load_columns(candidates[0].sq_dists + at + i, stride, sq_dists + i);
      load_columns(reinterpret_cast<const float*>(candidates[0].ids) + at + i, stride, ids + i);
    }
    for (int i = 0; i < 8; ++i) {
      const auto is_present = hn::Gt(counts, hn::Set(Signed(), at + i));
      hn::Store(hn::IfThenElse(hn::RebindMask(Floats(), is_present), sq_dists[i], none), Floats(), sq_dists_[i]);
      hn::Store(hn::IfThenElse(is_present, hn::BitCast(Signed(), ids[i]), hn::Set(Signed(), -1)), Signed(), ids_[i]);
    }
  }

  /// The keys of the i-th candidates that load_eight() has set; k_none where a query has no more.
  HWY_INLINE hn::Vec<Keys> key(int i, int half) const {
    const auto* const sq_dists = reinterpret_cast<const std::uint32_t*>(sq_dists_[i]) + half * k_key_lanes;
    const auto high = hn::PromoteTo(Words(), hn::Load(HalfWords(), sq_dists));
    const auto low = hn::PromoteTo(
        Words(), hn::Load(HalfWords(), reinterpret_cast<const std::uint32_t*>(ids_[i]) + half * k_key_lanes));
    return hn::BitCast(Keys(), hn::Or(hn::ShiftLeft<32>(high), low));
  }

  static HWY_INLINE void drop_repeated(const EightKeys& list, EightKeys& more) {
    for (int i = 0; i < 8; ++i) {
      auto is_repeated = hn::Eq(more[i], list[0]);
      for (int j = 1; j < 8; ++j) is_repeated = hn::Or(is_repeated, hn::Eq(more[i], list[j]));
      more[i] = hn::IfThenElse(is_repeated, hn::Set(Keys(), std::bit_cast<double>(k_none)), more[i]);
    }
  }

  EightKeys places_[k_halves][k_eights];
  HWY_ALIGN float sq_dists_[8][k_lanes];
  HWY_ALIGN std::int32_t ids_[8][k_lanes];
  HWY_ALIGN NeighborKey written_[k_lanes][k_capacity];
  int size_;
};

/// Like LaneLists, with a list of another kind for each query.
template <class List>
class SeparateLists {
 public:
  explicit SeparateLists(std::int64_t size) {
    for (Entry& entry : entries_) entry.list = List(size);
  }

  HWY_INLINE void clear() {
    for (Entry& entry : entries_) entry.list.clear();
  }
  template <int kCandidates>
  HWY_INLINE void insert(const CandidateBuffer<kCandidates> (&candidates)[k_lanes], bool may_repeat) {
    for (int i = 0; i < k_lanes; ++i) entries_[i].list.insert(candidates[i], may_repeat);
  }
  HWY_INLINE void finish() {
    for (Entry& entry : entries_) entry.list.finish();
  }
  HWY_INLINE void last_sq_dists(float* to) const {
    for (int i = 0; i < k_lanes; ++i) to[i] = entries_[i].list.last_sq_dist();
  }
  HWY_INLINE void write() {
    for (Entry& entry : entries_) entry.keys = entry.list.write(entry.memory);
  }
  HWY_INLINE const NeighborKey* list(std::int64_t query) const { return entries_[query].keys; }

 private:
  struct Entry {
    List list{0};
    HWY_ALIGN NeighborKey memory[List::k_capacity];
    const NeighborKey* keys = nullptr;
  };
  Entry entries_[k_lanes];
};

/// The fastest lists for a team of queries each of which would have a `List`. (Time of the whole shifted sort, uniform
/// queries, LaneLists instead of SeparateLists: with AVX-512 k = 12 −8 %, 16 −6, 24 −12, 32 −13; with AVX2 8 −4, 16 −4,
/// 32 0; without vectors 16 +24.)
template <class List>
using TeamLists = std::conditional_t<(k_lanes > 1 && List::k_capacity >= 8 && List::k_capacity <= 32),
                                     LaneLists<List::k_capacity>, SeparateLists<List>>;

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
