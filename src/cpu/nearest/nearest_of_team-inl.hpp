// The nearest candidates of every query of a team, found for all queries at once. Compiled once per vector target: see
// lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "cpu/vector/near_bounds-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The candidates of kQueries queries, and the kKept smallest of each, a multiple of eight. A candidate is one number,
/// a key: its float32 squared distance, whose last k_code_bits bits are replaced by the code of the candidate. So half
/// as many vectors are sorted as with distances and codes apart. A squared distance is then known to 2⁻¹³ of it, which
/// nearly always suffices to leave out a point. E.g. with 4 bits: 0x3f800012 and code 5 → 0x3f800015.
template <int kQueries, int kKept>
class NearestMany {
 public:
  static constexpr std::int64_t k_kept = kKept;
  static constexpr int k_code_bits = kKept == 8 ? 9 : 10;
  static constexpr std::uint32_t k_code_mask = (1u << k_code_bits) - 1;
  /// The maximum number of candidates of a query that are sorted. If there are more, is_full() is true and the result
  /// is invalid.
  static constexpr std::int64_t k_sorted = 8 * kKept;

  HWY_INLINE void clear() {
    const auto none = hn::Set(Floats(), std::numeric_limits<float>::infinity());
    for (int i = 0; i < kQueries; ++i) {
      ends_[i] = keys_[i];
      for (std::int64_t at = 0; at < k_sorted + 16; at += k_lanes) hn::Store(none, Floats(), keys_[i] + at);
    }
  }

  /// Appends the lanes of `mask` to the candidates of a query; `codes` have no more than k_code_bits bits.
  HWY_INLINE void append(std::uint32_t query, hn::Vec<Floats> sq_dists, hn::Vec<Unsigned> codes,
                         hn::Mask<Floats> mask) {
    const auto keys = hn::OrAnd(codes, hn::BitCast(Unsigned(), sq_dists), hn::Set(Unsigned(), ~k_code_mask));
    float* const end = ends_[query];
    hn::StoreU(hn::Compress(hn::BitCast(Floats(), keys), mask), Floats(), end);
    ends_[query] = end + hn::CountTrue(Floats(), mask);
  }

  /// Sorts the smallest keys of every query.
  HWY_INLINE void select() {
    const auto none = hn::Set(Floats(), std::numeric_limits<float>::infinity());
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < kQueries; ++i) {
      hn::StoreU(none, Floats(), ends_[i]);  // over what Compress() has left there
      most = std::max<std::int64_t>(most, ends_[i] - keys_[i]);
    }
    most = std::min(most, k_sorted);
    for (std::int64_t first = 0; first < kQueries; first += k_lanes) {
      Eight smallest[k_eights];
      for (auto& eight : smallest)
        for (auto& keys : eight) keys = none;
      auto left_out = none;
      for (std::int64_t at = 0; at < most; at += 8) {
        Eight more;
        load_columns(keys_[first] + at, k_row, more);
        load_columns(keys_[first] + at + 4, k_row, more + 4);
        sort_eight(more);
        for (int i = 0; i < k_eights - 1; ++i) exchange_eight(smallest[i], more);
        Eight& last = smallest[k_eights - 1];
        for (int i = 0; i < 8; ++i) left_out = hn::Min(left_out, hn::Max(last[i], more[7 - i]));
        merge_eight(last, more);
      }
      for (int i = 0; i < kKept; ++i) hn::Store(smallest[i / 8][i % 8], Floats(), smallest_[i] + first);
      hn::Store(left_out, Floats(), smallest_[kKept] + first);
    }
  }

  /// Whether a query had more candidates than are sorted; valid after select().
  HWY_INLINE bool is_full(std::int64_t query) const { return ends_[query] - keys_[query] > k_sorted; }

  /// The codes of the i-th smallest keys of k_lanes queries from `first` on.
  HWY_INLINE hn::Vec<Unsigned> codes(int i, std::int64_t first) const {
    return hn::And(hn::Load(Unsigned(), reinterpret_cast<const std::uint32_t*>(smallest_[i]) + first),
                   hn::Set(Unsigned(), k_code_mask));
  }

  /// The code of the i-th smallest key of a query, and bounds of its squared distance, which are infinite if the query
  /// has fewer candidates. The key after the last has no code.
  HWY_INLINE std::uint32_t code(std::int64_t query, int i) const { return bits(query, i) & k_code_mask; }
  HWY_INLINE float at_least(std::int64_t query, std::int64_t i) const {
    return std::bit_cast<float>(bits(query, i) & ~k_code_mask);
  }
  HWY_INLINE float at_most(std::int64_t query, std::int64_t i) const {
    const float most = std::bit_cast<float>(bits(query, i) | k_code_mask);
    return most == most ? most : std::numeric_limits<float>::infinity();
  }

 private:
  static constexpr int k_eights = kKept / 8;
  static constexpr std::int64_t k_row =
      (1 << k_code_bits) + 16;  // as many as there are codes, and what Compress() writes past them

  HWY_INLINE std::uint32_t bits(std::int64_t query, std::int64_t i) const {
    return std::bit_cast<std::uint32_t>(smallest_[i][query]);
  }

  HWY_ALIGN float keys_[kQueries][k_row];
  HWY_ALIGN float smallest_[kKept + 1][kQueries];  // keys by rank; the last: the smallest of the others
  float* ends_[kQueries];                          // where the candidates in keys_ end
};

/// Like NearestMany, but for the nearest candidate alone: its squared distance and that of the second are exact. Each
/// lane keeps the nearest candidate that it has seen, so that none is written and none is sorted.
template <int kQueries>
class NearestOne {
 public:
  static constexpr std::int64_t k_kept = 1;
  static constexpr int k_code_bits = 9;

  HWY_INLINE void clear() {
    const auto none = hn::Set(Floats(), std::numeric_limits<float>::infinity());
    for (OfLanes& query : of_lanes_) {
      hn::Store(none, Floats(), query.nearest);
      hn::Store(none, Floats(), query.second);
      hn::Store(hn::Zero(Unsigned()), Unsigned(), query.codes);
    }
  }

  HWY_INLINE void append(std::uint32_t query, hn::Vec<Floats> sq_dists, hn::Vec<Unsigned> codes,
                         hn::Mask<Floats> mask) {
    OfLanes& lanes = of_lanes_[query];
    const auto candidates = hn::IfThenElse(mask, sq_dists, hn::Set(Floats(), std::numeric_limits<float>::infinity()));
    const auto nearest = hn::Load(Floats(), lanes.nearest);
    const auto is_nearer = hn::RebindMask(Unsigned(), hn::Lt(candidates, nearest));
    const auto second = hn::Min(hn::Load(Floats(), lanes.second), hn::Max(candidates, nearest));
    hn::Store(hn::Min(candidates, nearest), Floats(), lanes.nearest);
    hn::Store(second, Floats(), lanes.second);
    hn::Store(hn::IfThenElse(is_nearer, codes, hn::Load(Unsigned(), lanes.codes)), Unsigned(), lanes.codes);
  }

  HWY_INLINE void select() {
    for (int i = 0; i < kQueries; ++i) {
      const OfLanes& lanes = of_lanes_[i];
      const auto all = hn::Load(Floats(), lanes.nearest);
      const auto nearest = hn::MinOfLanes(Floats(), all);
      const auto lane = static_cast<std::int32_t>(std::countr_zero(lanes_of(Floats(), hn::Eq(all, nearest))));
      const auto others = hn::RebindMask(Floats(), hn::Ne(hn::Iota(Signed(), 0), hn::Set(Signed(), lane)));
      const auto second = hn::Load(Floats(), lanes.second);
      smallest_[0][i] = hn::GetLane(nearest);
      smallest_[1][i] = hn::GetLane(hn::MinOfLanes(Floats(), hn::IfThenElse(others, hn::Min(all, second), second)));
      codes_[i] = lanes.codes[lane];
    }
  }

  HWY_INLINE bool is_full(std::int64_t) const { return false; }
  HWY_INLINE hn::Vec<Unsigned> codes(int, std::int64_t first) const { return hn::Load(Unsigned(), codes_ + first); }
  HWY_INLINE std::uint32_t code(std::int64_t query, int) const { return codes_[query]; }
  HWY_INLINE float at_least(std::int64_t query, std::int64_t i) const { return smallest_[i][query]; }
  HWY_INLINE float at_most(std::int64_t query, std::int64_t i) const { return smallest_[i][query]; }

 private:
  struct OfLanes {
    HWY_ALIGN float nearest[k_lanes];
    HWY_ALIGN float second[k_lanes];
    HWY_ALIGN std::uint32_t codes[k_lanes];  // codes of `nearest`
  };

  OfLanes of_lanes_[kQueries];
  float smallest_[2][kQueries];
  HWY_ALIGN std::uint32_t codes_[kQueries];
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
