// The k nearest points of a query so far, in memory. Compiled once per vector target: see lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/register_list-inl.hpp"
#include "cpu/vector/sort_keys.hpp"
#include "geometry/distance.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The keys of the first k_key_lanes candidates, all of which can be read.
HWY_INLINE hn::Vec<Keys> load_keys(const float* sq_dists, const std::uint32_t* ids) {
  using Words = hn::RebindToUnsigned<Keys>;
  const hn::Rebind<std::uint32_t, Words> half;
  const auto high = hn::PromoteTo(Words(), hn::LoadU(half, reinterpret_cast<const std::uint32_t*>(sq_dists)));
  return hn::BitCast(Keys(), hn::Or(hn::ShiftLeft<32>(high), hn::PromoteTo(Words(), hn::LoadU(half, ids))));
}

/// A list of any size in memory, for more keys than registers hold. It appends the keys that are below its last one, a
/// vector at a time. When it holds twice as many as wanted, it sorts them and drops the larger half.
template <class Content = NeighborKeys>
class BufferList {
 public:
  template <class OtherContent>
  using Of = BufferList<OtherContent>;
  static constexpr int k_capacity = 1;
  explicit BufferList(std::int64_t size = 0)
      : size_(size), full_(2 * size + 64), keys_(static_cast<std::size_t>(full_ + k_key_lanes)) {
    clear();
  }

  void clear() {
    count_ = 0;
    worst_ = Content::none;
    left_out_ = of_all_lanes(Content::none);
  }
  hn::Vec<Floats> bound() const { return hn::Set(Floats(), sq_dist_of(worst_)); }
  hn::Vec<Signed> last_id() const { return hn::Set(Signed(), neighbor_id(worst_)); }
  float last_sq_dist() const { return sq_dist_of(worst_); }
  NeighborKey last_key() const { return worst_; }
  hn::Vec<Keys> last_value() const { return of_all_lanes(worst_); }
  bool leaves_out_only_beyond(hn::Vec<Floats> bound) const {
    return hn::AllTrue(Keys(), hn::Gt(left_out_, of_all_lanes(neighbor_key(hn::GetLane(bound), 0xffffffffu))));
  }

  template <int kCandidates>
  void insert(const CandidateBuffer<kCandidates>& candidates, bool) {  // finish() drops repetitions
    insert(candidates.sq_dists, candidates.ids, candidates.count);
  }
  /// Up to k_key_lanes candidates past the last are read.
  HWY_INLINE void insert(const float* sq_dists, const std::uint32_t* ids, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += k_key_lanes) append(load_keys(sq_dists + i, ids + i), count - i);
  }
  HWY_INLINE void insert_values(const double* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += k_key_lanes) append(hn::LoadU(Keys(), values + i), count - i);
  }

  HWY_NOINLINE void finish() {
    sort_keys(keys_.data(), count_);
    if constexpr (std::is_same_v<Content, NeighborKeys>)
      count_ = std::unique(keys_.data(), keys_.data() + count_) - keys_.data();
    if (count_ < size_) return;
    if constexpr (Content::is_filter)
      if (count_ > size_) left_out_ = hn::Min(left_out_, of_all_lanes(keys_[size_]));
    count_ = size_;
    worst_ = keys_[size_ - 1];
  }

  const NeighborKey* write(NeighborKey*) {
    std::fill(keys_.data() + count_, keys_.data() + size_, Content::none);
    return keys_.data();
  }

 private:
  static HWY_INLINE hn::Vec<Keys> of_all_lanes(NeighborKey key) { return hn::Set(Keys(), std::bit_cast<double>(key)); }

  /// Appends those of the first `count` keys, or of all if there are fewer, that may be among the smallest.
  HWY_INLINE void append(hn::Vec<Keys> keys, std::int64_t count) {
    const auto exist = hn::FirstN(Keys(), static_cast<std::size_t>(count));
    const auto near = hn::And(exist, hn::Lt(keys, of_all_lanes(worst_)));
    if constexpr (Content::is_filter)
      left_out_ = hn::Min(left_out_, hn::IfThenElse(hn::AndNot(near, exist), keys, of_all_lanes(Content::none)));
    hn::StoreU(hn::Compress(keys, near), Keys(), reinterpret_cast<double*>(keys_.data() + count_));
    count_ += static_cast<std::int64_t>(hn::CountTrue(Keys(), near));
    if (count_ >= full_) finish();
  }

  std::int64_t size_, full_, count_ = 0;
  NeighborKey worst_ = Content::none;
  hn::Vec<Keys> left_out_;  // the smallest key that was left out, in one of the lanes
  std::vector<NeighborKey> keys_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
