// The k nearest points of a query so far, by float64 and index. Compiled once per vector target: see lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/lanes-inl.hpp"
#include "cpu/vector/placed_points.hpp"
#include "cpu/vector/register_list-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// All candidates so far that may be among the `size` ≥ 1 smallest by (squared distance, id). These are 96 bits, which
/// no vector minimum compares, so a list of the squared distances alone bounds the candidates. Where distances are
/// tied, the candidates become many: they are then reduced to the nearest `size`, whose largest id at the last distance
/// bounds the later ones.
template <class List>
class Float64List {
 public:
  explicit Float64List(std::int64_t size)
      : size_(size),
        capacity_(4 * size + 12 * k_group),
        surplus_(List::k_capacity == 1 ? size + k_flush_size : k_flush_size),
        sq_dists_(padded(capacity_)),
        ids_(padded(capacity_)),
        values_(size),
        tied_(size) {}

  void clear() {
    count_ = inserted_ = 0;
    last_id_ = std::numeric_limits<std::int32_t>::max();
    bound_ = std::numeric_limits<double>::infinity();
    values_.clear();
  }

  /// Appends the lanes of `mask`; returns true when it is time to flush.
  HWY_INLINE bool append(hn::Vec<Doubles> sq_dists, hn::Vec<Longs> ids, hn::Mask<Doubles> mask) {
    hn::StoreU(hn::Compress(sq_dists, mask), Doubles(), &sq_dists_[count_]);
    hn::StoreU(hn::Compress(ids, hn::RebindMask(Longs(), mask)), Longs(), &ids_[count_]);
    count_ += static_cast<std::int64_t>(hn::CountTrue(Doubles(), mask));
    return count_ - inserted_ >= k_flush_size;
  }

  /// Appends the first `some` lanes. There must be fewer than 4 · size + 160 candidates in all.
  HWY_INLINE void append(hn::Vec<Doubles> sq_dists, hn::Vec<Longs> ids, std::int64_t some) {
    hn::StoreU(sq_dists, Doubles(), &sq_dists_[count_]);
    hn::StoreU(ids, Longs(), &ids_[count_]);
    count_ += some;
  }

  /// Lowers the bounds by the candidates appended since the last time. Returns whether they are lower.
  HWY_INLINE bool flush() {
    values_.insert_values(&sq_dists_[inserted_], count_ - inserted_);
    inserted_ = count_;
    bool lower = lower_bound();
    // If the bound is no lower, the new candidates were tied, or a list in memory has not been sorted since
    if (count_ > capacity_ - 2 * k_flush_size || (!lower && count_ >= size_ + surplus_)) {
      values_.finish();
      lower |= lower_bound();
      lower |= reduce();
    }
    return lower;
  }

  /// The (squared distance, id) of a neighbour is below (bound(), last_id()).
  HWY_INLINE double bound() const { return bound_; }
  HWY_INLINE std::int32_t last_id() const { return last_id_; }

  /// Reduces the candidates to the neighbours, in any order; returns how many there are.
  HWY_INLINE std::int64_t finish() {
    flush();
    values_.finish();
    lower_bound();
    reduce();
    return count_;
  }

  /// Writes the neighbours that finish() has left; it may write up to a vector past the last.
  HWY_INLINE void copy(double* sq_dists, std::int32_t* ids) const {
    for (std::int64_t i = 0; i < count_; i += k_key_lanes) {
      hn::StoreU(hn::LoadU(Doubles(), &sq_dists_[i]), Doubles(), sq_dists + i);
      hn::StoreU(narrow(hn::LoadU(Longs(), &ids_[i])), HalfSigned(), ids + i);
    }
  }

 private:
  /// Candidates whose distances are inserted at once.
  static constexpr std::int64_t k_flush_size = 16;

  static std::size_t padded(std::int64_t count) { return static_cast<std::size_t>(count + 2 * k_lanes); }

  HWY_INLINE bool lower_bound() {
    const double last = hn::GetLane(values_.last_value());
    if (!(last < bound_)) return false;
    bound_ = last;
    last_id_ = std::numeric_limits<std::int32_t>::max();
    return true;
  }

  /// If there are more than `size_` candidates, keeps the nearest `size_` and lowers last_id_; returns whether it did.
  HWY_INLINE bool reduce() {
    if (count_ <= size_) return false;
    const auto bound = hn::Set(Doubles(), bound_);
    std::int64_t nearer = 0;
    tied_.clear();
    ties_.count = 0;
    for (std::int64_t i = 0; i < count_; i += k_key_lanes) {
      const auto sq_dists = hn::LoadU(Doubles(), &sq_dists_[i]);
      const auto ids = hn::LoadU(Longs(), &ids_[i]);
      const auto present = hn::FirstN(Doubles(), static_cast<std::size_t>(count_ - i));
      const auto near = hn::And(hn::Lt(sq_dists, bound), present), tie = hn::And(hn::Eq(sq_dists, bound), present);
      hn::StoreU(hn::Compress(sq_dists, near), Doubles(), &sq_dists_[nearer]);
      hn::StoreU(hn::Compress(ids, hn::RebindMask(Longs(), near)), Longs(), &ids_[nearer]);
      nearer += static_cast<std::int64_t>(hn::CountTrue(Doubles(), near));
      const auto tied_ids = narrow(hn::Compress(ids, hn::RebindMask(Longs(), tie)));
      hn::StoreU(tied_ids, HalfSigned(), reinterpret_cast<std::int32_t*>(ties_.ids) + ties_.count);
      ties_.count += static_cast<std::int64_t>(hn::CountTrue(Doubles(), tie));
      if (ties_.count >= k_flush_size) {
        tied_.insert(ties_, false);  // by (0, id)
        ties_.count = 0;
      }
    }
    tied_.insert(ties_, false);
    tied_.finish();
    HWY_ALIGN NeighborKey memory[List::k_capacity];
    const NeighborKey* const tied = tied_.write(memory);
    // Copies more ties than are needed, in whole vectors: their number cannot be predicted
    for (std::int64_t i = 0; i < size_; i += k_key_lanes) {
      const auto present = hn::RebindMask(Longs(), hn::FirstN(Doubles(), static_cast<std::size_t>(size_ - i)));
      const auto keys = hn::MaskedLoad(present, Longs(), reinterpret_cast<const std::int64_t*>(tied + i));
      hn::StoreU(bound, Doubles(), &sq_dists_[nearer + i]);
      hn::StoreU(hn::And(keys, hn::Set(Longs(), 0xffffffff)), Longs(), &ids_[nearer + i]);
    }
    count_ = inserted_ = size_;
    last_id_ = static_cast<std::int32_t>(ids_[size_ - 1]);
    return true;
  }

  std::int64_t size_, capacity_, surplus_;
  std::vector<double> sq_dists_;
  std::vector<std::int64_t> ids_;
  std::int64_t count_ = 0, inserted_ = 0;  // candidates, and how many of them are in values_
  typename List::template Of<Float64Keys> values_;
  List tied_;
  CandidateBuffer<k_flush_size + k_lanes> ties_;  // ids at the bound; their squared distances are stored as 0
  double bound_ = 0;
  std::int32_t last_id_ = 0;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
