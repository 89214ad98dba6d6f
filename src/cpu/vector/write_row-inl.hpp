// A finished list, written to its row. Compiled once per vector target: see lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/vector/host_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

HWY_INLINE void write_entry(NeighborKey key, const HostRows& rows, std::int64_t at) {
  rows.ids[at] = neighbor_id(key);
  rows.distances[at] = neighbor_distance(key == k_none ? k_absent : key, rows.unit);
}

/// How many queries ahead memory is fetched. Rows lie all over the result, and stores that wait for their cache lines
/// hold up the queries behind them.
constexpr std::int64_t k_row_prefetch = 8;

HWY_INLINE void prefetch_row(const HostRows& rows, std::int64_t row) {
  const std::int64_t first = row * rows.k, last = first + rows.k - 1;
  __builtin_prefetch(rows.ids + first, 1);
  __builtin_prefetch(rows.distances + first, 1);
  if (rows.k <= 16 && (rows.k & (rows.k - 1)) == 0) return;  // a row does not reach into a second cache line
  __builtin_prefetch(rows.ids + last, 1);
  __builtin_prefetch(rows.distances + last, 1);
}

/// Whether a whole vector of neighbours is in the order of a row: by (distance, id).
HWY_INLINE bool is_row_ordered(hn::Vec<HalfFloats> distances, hn::Vec<HalfSigned> ids) {
#if HWY_TARGET == HWY_SCALAR
  (void)distances, (void)ids;
  return true;
#else
  const HalfFloats d;
  const HalfSigned di;
  const auto next = hn::Min(hn::Add(hn::Iota(di, 0), hn::Set(di, 1)), hn::Set(di, k_key_lanes - 1));
  const auto next_distances = hn::TableLookupLanes(distances, hn::IndicesFromVec(d, next));
  const auto next_ids = hn::TableLookupLanes(ids, hn::IndicesFromVec(di, next));
  const auto later = hn::RebindMask(d, hn::Gt(ids, next_ids));
  const auto wrong = hn::Or(hn::Gt(distances, next_distances), hn::And(hn::Eq(distances, next_distances), later));
  return hn::AllFalse(d, wrong);
#endif
}

/// Puts neighbours of one written distance in the order of their ids: two squared distances often have one root.
HWY_INLINE void order_row(const HostRows& rows, std::int64_t first, std::int64_t count) {
  const auto in_order = [&](std::int64_t j) {
    const float before = rows.distances[j - 1], distance = rows.distances[j];
    return before < distance || (before == distance && rows.ids[j - 1] < rows.ids[j]);
  };
  std::int64_t disordered = 0;  // no branch per neighbour
  for (std::int64_t j = first + 1; j < first + count; ++j) disordered += !in_order(j);
  if (disordered == 0) return;
  for (std::int64_t begin = first, end; begin < first + count; begin = end) {
    end = begin + 1;
    while (end < first + count && rows.distances[end] == rows.distances[begin]) ++end;
    std::sort(rows.ids + begin, rows.ids + end);
  }
}

/// Writes the `size` keys of `list` to a row; the places of the row behind them have no neighbour. Rows are in the
/// order of (distance, id).
HWY_INLINE void write_row(const NeighborKey* list, std::int64_t size, const HostRows& rows, std::int64_t row) {
  const std::int64_t first = row * rows.k, found = std::min(rows.k, size);
  std::int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const Doubles d;
  const hn::RebindToUnsigned<Doubles> du;
  const HalfFloats df;
  const HalfSigned di;
  const hn::RebindToUnsigned<HalfSigned> d32;
  for (; j + k_key_lanes <= found; j += k_key_lanes) {
    const auto keys = hn::LoadU(du, list + j);
    const auto roots = hn::Sqrt(hn::BitCast(df, hn::TruncateTo(d32, hn::ShiftRight<32>(keys))));
    const auto distances = hn::DemoteTo(df, hn::Mul(hn::PromoteTo(d, roots), hn::Set(d, rows.unit)));
    const auto ids = hn::BitCast(di, hn::TruncateTo(d32, keys));
    hn::StoreU(distances, df, rows.distances + first + j);
    hn::StoreU(ids, di, rows.ids + first + j);
    if (found == k_key_lanes && rows.k == found && is_row_ordered(distances, ids)) return;  // as nearly always
  }
#endif
  for (; j < found; ++j) write_entry(list[j], rows, first + j);
  for (; j < rows.k; ++j) write_entry(k_none, rows, first + j);
  std::int64_t present = found;
  while (present > 0 && list[present - 1] == k_none) --present;
  order_row(rows, first, present);
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
