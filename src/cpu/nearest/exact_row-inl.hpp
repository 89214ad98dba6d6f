// The row of a query whose neighbours are known, in the order that is written. Compiled once per vector target: see
// lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/nearest/rounded_roots-inl.hpp"
#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/register_list-inl.hpp"
#include "cpu/vector/write_row-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The neighbours of one query with their squared distances, in any order, and the functions that write their row.
template <class List>
class ExactRow {
 public:
  /// @param size the maximum number of neighbours of a row
  explicit ExactRow(std::int64_t size)
      : sq_dists(padded(size)), ids(padded(size)), distances_(padded(size)), list_(size) {}

  std::vector<double> sq_dists;
  std::vector<std::int32_t> ids;

  /// Writes a row whose neighbours, `count` ≥ 1, are in one vector in registers. They are nearly always in order.
  HWY_INLINE void write(hn::Vec<Doubles> some_sq_dists, hn::Vec<HalfSigned> some_ids, std::int64_t count,
                        const HostRows& rows, std::int64_t row) {
    const auto distances = rounded_roots(some_sq_dists);
    if (count == rows.k && count == k_key_lanes && is_row_ordered(distances, some_ids)) {
      hn::StoreU(some_ids, HalfSigned(), rows.ids + row * rows.k);
      hn::StoreU(distances, HalfFloats(), rows.distances + row * rows.k);
      return;
    }
    hn::StoreU(some_sq_dists, Doubles(), sq_dists.data());
    hn::StoreU(some_ids, HalfSigned(), ids.data());
    write<true>(count, rows, row);
  }

  /// Writes the first `count` neighbours by (distance, id); the places behind them have no neighbour. With `ordered`,
  /// the neighbours are nearly always in this order already, and without it hardly ever.
  template <bool ordered>
  HWY_INLINE void write(std::int64_t count, const HostRows& rows, std::int64_t row) {
    for (std::int64_t j = 0; j < count; j += k_key_lanes)
      hn::StoreU(rounded_roots(hn::LoadU(Doubles(), &sq_dists[j])), HalfFloats(), &distances_[j]);
    if (!ordered || !is_ordered(count)) order(count);
    std::int32_t* const row_ids = rows.ids + row * rows.k;
    float* const row_distances = rows.distances + row * rows.k;
    for (std::int64_t j = 0; j < count; j += k_key_lanes) {
      if (count - j >= k_key_lanes) {
        hn::StoreU(hn::LoadU(HalfSigned(), &ids[j]), HalfSigned(), row_ids + j);
        hn::StoreU(hn::LoadU(HalfFloats(), &distances_[j]), HalfFloats(), row_distances + j);
      } else {
        std::copy_n(&ids[j], count - j, row_ids + j);
        std::copy_n(&distances_[j], count - j, row_distances + j);
      }
    }
    std::fill(row_ids + count, row_ids + rows.k, -1);
    std::fill(row_distances + count, row_distances + rows.k, std::numeric_limits<float>::infinity());
  }

 private:
  static std::size_t padded(std::int64_t size) { return static_cast<std::size_t>(size + k_lanes); }

  HWY_INLINE bool is_ordered(std::int64_t count) const {
    const HalfFloats d;
    const hn::RebindToSigned<HalfFloats> di;
    for (std::int64_t j = 0; j + 1 < count; j += k_key_lanes) {
      const auto distances = hn::LoadU(d, &distances_[j]), next = hn::LoadU(d, &distances_[j + 1]);
      const auto tied = hn::And(hn::Eq(distances, next),
                                hn::RebindMask(d, hn::Lt(hn::LoadU(di, &ids[j]), hn::LoadU(di, &ids[j + 1]))));
      const auto in_order = hn::Or(hn::Lt(distances, next), tied);
      const auto counted = hn::FirstN(d, static_cast<std::size_t>(count - 1 - j));
      if (!hn::AllFalse(d, hn::AndNot(in_order, counted))) return false;
    }
    return true;
  }

  void order(std::int64_t count) {
    list_.clear();
    list_.insert(distances_.data(), reinterpret_cast<const std::uint32_t*>(ids.data()), count);
    list_.finish();
    const NeighborKey* const keys = list_.write(keys_);
    std::int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::RebindToUnsigned<Keys> d;
    const hn::RebindToUnsigned<HalfFloats> half;
    for (; j + k_key_lanes <= count; j += k_key_lanes) {
      const auto some = hn::LoadU(d, keys + j);
      hn::StoreU(hn::BitCast(HalfSigned(), hn::TruncateTo(half, some)), HalfSigned(), &ids[j]);
      hn::StoreU(hn::BitCast(HalfFloats(), hn::TruncateTo(half, hn::ShiftRight<32>(some))), HalfFloats(),
                 &distances_[j]);
    }
#endif
    for (; j < count; ++j) {
      ids[j] = neighbor_id(keys[j]);
      distances_[j] = sq_dist_of(keys[j]);
    }
  }

  std::vector<float> distances_;
  List list_;  // orders neighbours by (distance, id)
  HWY_ALIGN NeighborKey keys_[List::k_capacity];
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
