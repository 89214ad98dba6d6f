// Upper bounds on the distances to the nearest candidates, for as many queries at once as a vector has lanes. Compiled
// once per vector target: see lanes-inl.hpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "cpu/vector/lane_networks-inl.hpp"
#include "cpu/vector/lanes-inl.hpp"
#include "geometry/float_bits.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The longest list that is bounded by networks: one part for each eight places.
constexpr std::int64_t k_max_bounded = 32;

/// How often counted_bound() counts at most, after the first time.
constexpr int k_max_counts = 6;

/// For each of k_lanes rows of `count` squared distances (a multiple of 8), a bound that at least `size` numbers of the
/// row do not exceed. If size ≤ 8, it is the smallest such bound; for longer lists it is the maximum over parts: part p
/// of P holds every P-th group of eight from the p-th on. If a row has fewer finite numbers, it is the largest float.
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

/// For one row of `count` squared distances (a multiple of k_lanes), a bound that at least `size` of them do not
/// exceed, and few more: at most a quarter more where points are even in space. If fewer are finite, it is the largest
/// float. The bound is found by counting, which takes one comparison per vector.
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
