// Sorting networks over the numbers of every lane, and the transpositions that bring rows into lanes. Compiled once per
// vector target: see lanes-inl.hpp.
#pragma once

#include <cstdint>
#include <utility>

#include "cpu/vector/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Eight numbers per lane: networks sort all lanes at once, without a branch or a move between lanes.
using Eight = hn::Vec<Floats>[8];
using EightKeys = hn::Vec<Keys>[8];

template <class V>
HWY_INLINE void order_pair(V& less, V& greater) {
  const V least = hn::Min(less, greater);
  greater = hn::Max(less, greater);
  less = least;
}

/// Batcher's odd-even merge sort.
template <class V>
HWY_INLINE void sort_eight(V (&v)[8]) {
  order_pair(v[0], v[1]), order_pair(v[2], v[3]), order_pair(v[4], v[5]), order_pair(v[6], v[7]);
  order_pair(v[0], v[2]), order_pair(v[1], v[3]), order_pair(v[4], v[6]), order_pair(v[5], v[7]);
  order_pair(v[1], v[2]), order_pair(v[5], v[6]);
  order_pair(v[0], v[4]), order_pair(v[1], v[5]), order_pair(v[2], v[6]), order_pair(v[3], v[7]);
  order_pair(v[2], v[4]), order_pair(v[3], v[5]);
  order_pair(v[1], v[2]), order_pair(v[3], v[4]), order_pair(v[5], v[6]);
}

/// Sorts a bitonic sequence.
template <class V>
HWY_INLINE void sort_bitonic_eight(V (&v)[8]) {
  order_pair(v[0], v[4]), order_pair(v[1], v[5]), order_pair(v[2], v[6]), order_pair(v[3], v[7]);
  order_pair(v[0], v[2]), order_pair(v[1], v[3]), order_pair(v[4], v[6]), order_pair(v[5], v[7]);
  order_pair(v[0], v[1]), order_pair(v[2], v[3]), order_pair(v[4], v[5]), order_pair(v[6], v[7]);
}

/// `smallest` becomes the smallest eight of itself and `more`; all are sorted.
template <class V>
HWY_INLINE void merge_eight(V (&smallest)[8], const V (&more)[8]) {
  for (int i = 0; i < 8; ++i) smallest[i] = hn::Min(smallest[i], more[7 - i]);  // a bitonic sequence
  sort_bitonic_eight(smallest);
}

/// `smallest` becomes the smallest eight of itself and `more`, which becomes the others; all are sorted.
template <class V>
HWY_INLINE void exchange_eight(V (&smallest)[8], V (&more)[8]) {
  for (int i = 0; i < 4; ++i) std::swap(more[i], more[7 - i]);
  for (int i = 0; i < 8; ++i) order_pair(smallest[i], more[i]);
  sort_bitonic_eight(smallest);
  sort_bitonic_eight(more);
}

#if HWY_TARGET != HWY_SCALAR

/// The first 16 bytes of as many rows as make a vector, side by side: rows 0, 4, 8, … of floats, 0, 2, 4, … of doubles.
template <class Tag, class T>
HWY_INLINE hn::Vec<Tag> load_blocks(Tag d, const T* rows, std::int64_t stride) {
  if constexpr (hn::MaxLanes(d) * sizeof(T) <= 16) {
    return hn::LoadU(d, rows);
  } else {
    const hn::Half<Tag> half;
    const std::int64_t rows_each = static_cast<std::int64_t>(hn::MaxLanes(half));
    return hn::Combine(d, load_blocks(half, rows + rows_each * stride, stride), load_blocks(half, rows, stride));
  }
}

#endif

/// Columns 0 … 3 of k_lanes rows: lane i of columns[c] is rows[i·stride + c].
HWY_INLINE void load_columns(const float* rows, [[maybe_unused]] std::int64_t stride, hn::Vec<Floats>* columns) {
#if HWY_TARGET == HWY_SCALAR
  for (int c = 0; c < 4; ++c) columns[c] = hn::Set(Floats(), rows[c]);
#else
  const Floats d;
  const Keys pairs;
  const auto a = load_blocks(d, rows, stride), b = load_blocks(d, rows + stride, stride);
  const auto c = load_blocks(d, rows + 2 * stride, stride), e = load_blocks(d, rows + 3 * stride, stride);
  const auto low_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto low_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto high_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto high_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low_ab, low_ce));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low_ab, low_ce));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high_ab, high_ce));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high_ab, high_ce));
#endif
}

/// Transposes k_key_lanes vectors: lane i of columns[c] is lane c of rows[i].
HWY_INLINE void transpose_keys(const hn::Vec<Keys>* rows, hn::Vec<Keys>* columns) {
#if HWY_TARGET == HWY_SCALAR
  columns[0] = rows[0];
#else
  const Keys d;
  const auto* const numbers = reinterpret_cast<const double*>(rows);
  for (int c = 0; c < k_key_lanes; c += 2) {
    const auto even = load_blocks(d, numbers + c, k_key_lanes);
    const auto odd = load_blocks(d, numbers + k_key_lanes + c, k_key_lanes);
    columns[c] = hn::InterleaveLower(d, even, odd);
    columns[c + 1] = hn::InterleaveUpper(d, even, odd);
  }
#endif
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
