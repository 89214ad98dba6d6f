// Upper bounds on the distances to the nearest candidates, for as many queries at once as a vector has lanes. Compiled
// once per vector target: see lanes-inl.hpp.
#if defined(KANN_NEAR_BOUNDS_TOGGLE) == defined(HWY_TARGET_TOGGLE)
#ifdef KANN_NEAR_BOUNDS_TOGGLE
#undef KANN_NEAR_BOUNDS_TOGGLE
#else
#define KANN_NEAR_BOUNDS_TOGGLE
#endif

#include <cmath>
#include <cstdint>
#include <limits>

#include "cpu/vector/lanes-inl.hpp"
#include "geometry/float_bits.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Eight numbers per lane: networks sort all lanes at once, without a branch or a move between lanes.
using Eight = hn::Vec<Floats>[8];

HWY_INLINE void order_pair(Eight& v, int i, int j) {
  const auto less = hn::Min(v[i], v[j]);
  v[j] = hn::Max(v[i], v[j]);
  v[i] = less;
}

/// Batcher's odd-even merge sort.
HWY_INLINE void sort_eight(Eight& v) {
  order_pair(v, 0, 1), order_pair(v, 2, 3), order_pair(v, 4, 5), order_pair(v, 6, 7);
  order_pair(v, 0, 2), order_pair(v, 1, 3), order_pair(v, 4, 6), order_pair(v, 5, 7);
  order_pair(v, 1, 2), order_pair(v, 5, 6);
  order_pair(v, 0, 4), order_pair(v, 1, 5), order_pair(v, 2, 6), order_pair(v, 3, 7);
  order_pair(v, 2, 4), order_pair(v, 3, 5);
  order_pair(v, 1, 2), order_pair(v, 3, 4), order_pair(v, 5, 6);
}

/// `smallest` becomes the smallest eight of itself and `more`; all are sorted.
HWY_INLINE void merge_eight(Eight& smallest, const Eight& more) {
  for (int i = 0; i < 8; ++i) smallest[i] = hn::Min(smallest[i], more[7 - i]);  // a bitonic sequence
  order_pair(smallest, 0, 4), order_pair(smallest, 1, 5), order_pair(smallest, 2, 6), order_pair(smallest, 3, 7);
  order_pair(smallest, 0, 2), order_pair(smallest, 1, 3), order_pair(smallest, 4, 6), order_pair(smallest, 5, 7);
  order_pair(smallest, 0, 1), order_pair(smallest, 2, 3), order_pair(smallest, 4, 5), order_pair(smallest, 6, 7);
}

#if HWY_TARGET != HWY_SCALAR

/// Four numbers of rows 0, 4, 8, …, side by side.
template <class Tag>
HWY_INLINE hn::Vec<Tag> load_blocks(Tag d, const float* rows, std::int64_t stride) {
  if constexpr (hn::MaxLanes(d) <= 4) {
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

/// The longest list that is bounded by networks: one part for each eight places.
constexpr std::int64_t k_max_bounded = 32;

/// How often counted_bound() counts.
constexpr int k_max_counts = 6;

/// For k_lanes rows of `count` squared distances, a multiple of 8: a bound that at least `size` numbers of a row do not
/// exceed; the smallest such bound when size ≤ 8. For longer lists it is the maximum over parts: part p of P holds
/// every P-th group of eight from the p-th on. The largest float where a row has fewer finite numbers.
HWY_INLINE hn::Vec<Floats> near_bounds(const float* rows, std::int64_t stride, std::int64_t count, std::int64_t size) {
  const auto none = hn::Set(Floats(), std::numeric_limits<float>::max());
  const std::int64_t parts = (size + 7) / 8, of_each = (size + parts - 1) / parts;
  auto bound = hn::Zero(Floats());
  for (std::int64_t part = 0; part < parts; ++part) {
    Eight smallest = {none, none, none, none, none, none, none, none};
    for (std::int64_t at = 8 * part; at < count; at += 8 * parts) {
      Eight more;
      load_columns(rows + at, stride, more);
      load_columns(rows + at + 4, stride, more + 4);
      sort_eight(more);
      merge_eight(smallest, more);
    }
    HWY_ALIGN float all[8 * k_lanes];
    for (int i = 0; i < 8; ++i) hn::Store(smallest[i], Floats(), all + i * k_lanes);
    bound = hn::Max(bound, hn::Load(Floats(), all + (of_each - 1) * k_lanes));
  }
  return bound;
}

/// For one row of `count` squared distances, a multiple of k_lanes: a bound that at least `size` of them do not exceed,
/// and few more, a quarter at most where points are even in space; the largest float where fewer are finite. Found by
/// counting, which takes a comparison per vector.
HWY_INLINE float counted_bound(const float* row, std::int64_t count, std::int64_t size) {
  const auto largest = hn::Set(Floats(), std::numeric_limits<float>::max());
  const auto count_within = [&](float bound) HWY_ATTR {
    std::int64_t within = 0;
    for (std::int64_t at = 0; at < count; at += k_lanes)
      within += static_cast<std::int64_t>(
          hn::CountTrue(Floats(), hn::Le(hn::Load(Floats(), row + at), hn::Set(Floats(), bound))));
    return within;
  };
  auto farthest = hn::Zero(Floats());
  for (std::int64_t at = 0; at < count; at += k_lanes) {
    const auto some = hn::Load(Floats(), row + at);
    farthest = hn::Max(farthest, hn::IfThenElseZero(hn::Le(some, largest), some));
  }
  float bound = hn::GetLane(hn::MaxOfLanes(Floats(), farthest)), low = 0;
  std::int64_t within = count_within(bound), below = 0;  // within `bound`; within `low`, fewer than `size`
  if (within < size) return std::numeric_limits<float>::max();
  for (int step = 0; step < k_max_counts && within > size + size / 8; ++step) {
    // Where points are even in space, their number grows with the squared distance to the power of 3/2
    const double share =
        (1.06 * static_cast<double>(size) - static_cast<double>(below)) / static_cast<double>(within - below);
    float middle = static_cast<float>(low + (bound - low) * std::cbrt(share * share));
    // Where they are not, one of two halvings serves: by half the distance, or by half the range of exponents
    if (step % 3 == 1) middle = low + (bound - low) / 2;
    if (step % 3 == 2) middle = float_of((bits_of(low) + bits_of(bound)) / 2);
    if (!(middle > low && middle < bound)) continue;
    const std::int64_t now = count_within(middle);
    if (now >= size) {
      bound = middle;
      within = now;
    } else {
      low = middle;
      below = now;
    }
  }
  return bound;
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
