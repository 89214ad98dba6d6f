// A finished list, written to its row. Compiled once per vector target, after neighbor_list.hpp.
#if defined(KANN_WRITE_ROW_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_WRITE_ROW_TOGGLE
#undef KANN_WRITE_ROW_TOGGLE
#else
#define KANN_WRITE_ROW_TOGGLE
#endif

#include "cpu/vector/host_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

HWY_INLINE void write_entry(NeighborKey key, const HostRows& rows, std::int64_t at) {
  rows.ids[at] = neighbor_id(key);
  rows.distances[at] = neighbor_distance(key == k_none ? k_absent : key, rows.unit);
}

/// How many queries ahead memory is fetched. HostRows lie all over the result, and stores
/// that wait for their lines hold up the queries behind them.
constexpr std::int64_t k_row_prefetch = 8;

HWY_INLINE void prefetch_row(const HostRows& rows, std::int64_t row) {
  const std::int64_t first = row * rows.k, last = first + rows.k - 1;
  __builtin_prefetch(rows.ids + first, 1);
  __builtin_prefetch(rows.distances + first, 1);
  __builtin_prefetch(rows.ids + last, 1);
  __builtin_prefetch(rows.distances + last, 1);
}

/// `list` holds `size` keys; of the row's k places, those behind them have no neighbour.
HWY_INLINE void write_row(const NeighborKey* list, std::int64_t size, const HostRows& rows, std::int64_t row) {
  const std::int64_t first = row * rows.k, found = std::min(rows.k, size);
  std::int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const hn::Rebind<std::uint32_t, decltype(d)> d32;
  for (; j + k_key_lanes <= found; j += k_key_lanes) {
    const auto keys = hn::LoadU(du, list + j);
    const auto roots = hn::Sqrt(hn::BitCast(df, hn::TruncateTo(d32, hn::ShiftRight<32>(keys))));
    hn::StoreU(hn::DemoteTo(df, hn::Mul(hn::PromoteTo(d, roots), hn::Set(d, rows.unit))), df,
               rows.distances + first + j);
    hn::StoreU(hn::BitCast(di, hn::TruncateTo(d32, keys)), di, rows.ids + first + j);
  }
#endif
  for (; j < found; ++j) write_entry(list[j], rows, first + j);
  for (; j < rows.k; ++j) write_entry(k_none, rows, first + j);
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
