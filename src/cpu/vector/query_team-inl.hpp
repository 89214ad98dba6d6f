// What the searches of both methods share: teams of neighbouring queries, prefetching, the first bounds, and the choice
// of a list. Compiled once per vector target: see lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/vector/buffer_list-inl.hpp"
#include "cpu/vector/near_bounds-inl.hpp"
#include "cpu/vector/placed_points.hpp"
#include "cpu/vector/register_list-inl.hpp"
#include "cpu/vector/write_row-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Kinds of lists, each of which holds more neighbours than the one before; the last holds any number.
template <class... Lists>
struct ListKinds {};

/// Every kind that is the fastest for some sizes. Without vectors, an insertion into a list in registers takes a step
/// for each of its places.
#if HWY_TARGET == HWY_SCALAR
using AllLists = ListKinds<RegisterList<8>, BufferList<>>;
#else
using AllLists = ListKinds<RegisterList<8>, RegisterList<16>, RegisterList<32>, BufferList<>>;
#endif

/// Searches queries [begin, end) with Search<List>, in teams: search.run(first, last) takes at most Search::k_team of
/// them. The list is the first of its kinds that holds `size` neighbours.
template <template <class List> class Search, class Input, class... Lists>
void search_in_teams(ListKinds<Lists...>, const Input& input, std::int64_t size, std::int64_t begin, std::int64_t end) {
  const auto run = [&]<class List>() {
    Search<List> search(input);
    constexpr std::int64_t team = Search<List>::k_team;
    for (std::int64_t i = begin; i < end; i += team) search.run(i, std::min(i + team, end));
  };
  (... || ((size <= Lists::k_capacity || Lists::k_capacity == 1) && (run.template operator()<Lists>(), true)));
}

/// The number of points around a query's rank that give the first bound of the exact search: three times the size of
/// the list and at least 48, but no more than n, rounded up to whole groups.
inline std::int64_t first_bound_candidates(std::int64_t size, std::int64_t n) {
  const std::int64_t count = std::min(std::max<std::int64_t>(48, 3 * size), n);
  return (count + k_group - 1) / k_group * k_group;
}

/// Bounds that hold for a query anywhere in the box of a team.
template <class Member>
HWY_INLINE auto team_bounds(const Member* team, std::int64_t count) {
  auto all = team[0].bounds;
  for (std::int64_t i = 1; i < count; ++i) all.enclose(team[i].bounds);
  return all;
}

/// Prefetches the point at a place of an order.
template <int D, class Real>
HWY_INLINE void prefetch_points(const PlacedView<D, Real>& points, std::int64_t place) {
  for (int a = 0; a < D; ++a) __builtin_prefetch(points.axes[a] + place);
  __builtin_prefetch(points.ids + place);
}

/// The coordinates of one query, each in all lanes.
template <int D>
struct QueryVectors {
  hn::Vec<Floats> axes[D];

  HWY_INLINE QueryVectors(const PlacedView<D>& queries, std::int64_t query) {
    for (int a = 0; a < D; ++a) axes[a] = hn::Set(Floats(), queries.axes[a][query]);
  }
};

/// Squared distances from a query to the k_lanes points from place `at` on.
template <int D>
HWY_INLINE hn::Vec<Floats> sq_distances(const hn::Vec<Floats> (&query)[D], const PlacedView<D>& points,
                                        std::int64_t at) {
  hn::Vec<Floats> differences[D];
  for (int a = 0; a < D; ++a) differences[a] = hn::Sub(query[a], hn::LoadU(Floats(), points.axes[a] + at));
  return sum_of_squares(differences);
}

/// Squared distances in float64 from a query to the k_key_lanes points from place `at` on.
template <int D, class Real>
HWY_INLINE hn::Vec<Doubles> sq_distances(const hn::Vec<Doubles> (&query)[D], const PlacedView<D, Real>& points,
                                         std::int64_t at) {
  hn::Vec<Doubles> differences[D];
  for (int a = 0; a < D; ++a) differences[a] = hn::Sub(query[a], load_doubles(points.axes[a] + at));
  return sum_of_squares(differences);
}

/// Squared distances from each query of a team to the points around its rank, a row per query, and the bounds that they
/// give: no neighbour of a query is farther than its bound.
template <int D>
class FirstDistances {
 public:
  /// For teams of at most `queries` queries, with at most `columns` points for each.
  FirstDistances(std::int64_t queries, std::int64_t columns)
      : rows_(std::max<std::int64_t>(queries, k_lanes)), memory_(rows_ * rounded(columns) + k_alignment) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(float);
    data_ = memory_.data() + (k_alignment - address % k_alignment) % k_alignment;
    resize(columns);
  }
  FirstDistances(const FirstDistances&) = delete;
  FirstDistances& operator=(const FirstDistances&) = delete;

  /// From now on, rows have `columns` points, which must be no more than the constructor was given.
  HWY_INLINE void resize(std::int64_t columns) { columns_ = rounded(columns); }

  /// The number of columns of a row: a multiple of k_lanes and of 8. The last columns may stand for no point, and then
  /// have infinite distances.
  HWY_INLINE std::int64_t columns() const { return columns_; }
  HWY_INLINE const float* row(std::int64_t i) const { return data_ + i * columns_; }

  /// Fills row i with the distances to the `count` points from place `begin` on; `self`, the place of the query itself
  /// or −1, is infinitely far.
  HWY_INLINE void fill(std::int64_t i, const hn::Vec<Floats> (&query)[D], const PlacedView<D>& points,
                       std::int64_t begin, std::int64_t count, std::int64_t self) {
    const auto none = hn::Set(Floats(), std::numeric_limits<float>::infinity());
    float* const row = data_ + i * columns_;
    std::int64_t at = 0;
    for (; at + k_lanes <= count; at += k_lanes) hn::Store(sq_distances(query, points, begin + at), Floats(), row + at);
    if (at < count) {
      const auto counted = hn::FirstN(Floats(), static_cast<std::size_t>(count - at));
      hn::Store(hn::IfThenElse(counted, sq_distances(query, points, begin + at), none), Floats(), row + at);
      at += k_lanes;
    }
    for (; at < columns_; at += k_lanes) hn::Store(none, Floats(), row + at);
    if (self >= begin && self < begin + count) row[self - begin] = std::numeric_limits<float>::infinity();
  }

  /// Like fill(), but computed in float64 and rounded up to float32 in the frame, where lengths are `scale` times those
  /// given.
  template <class Real>
  HWY_INLINE void fill_float64(std::int64_t i, const hn::Vec<Doubles> (&query)[D], const PlacedView<D, Real>& points,
                               std::int64_t begin, std::int64_t count, std::int64_t self, double scale) {
    const HalfFloats df;
    float* const row = data_ + i * columns_;
    std::int64_t at = 0;
    for (; at < count; at += k_key_lanes) {
      const auto sq_dists = hn::Mul(hn::Mul(sq_distances(query, points, begin + at), hn::Set(Doubles(), scale)),
                                    hn::Set(Doubles(), scale));
      // Rounded to nearest, then up by four times as much; denormals are slow operands
      const auto rounded = hn::DemoteTo(df, sq_dists);
      hn::Store(hn::MulAdd(rounded, hn::Set(df, 1 + 0x1p-22f), hn::Set(df, 0x1p-126f)), df, row + at);
    }
    std::fill(row + count, row + columns_, std::numeric_limits<float>::infinity());
    if (self >= begin && self < begin + count) row[self - begin] = std::numeric_limits<float>::infinity();
  }

  /// bounds[i] = a number that at least `size` ≥ 1 distances of row i do not exceed, or the largest float if the row
  /// has fewer. `bounds` holds a value per row; their number is rounded up to whole vectors.
  HWY_INLINE void find_bounds(std::int64_t queries, std::int64_t size, float* bounds) {
    if (size <= k_max_bounded) {
      for (std::int64_t i = 0; i < queries; i += k_lanes)
        hn::Store(near_bounds(data_ + i * columns_, columns_, columns_, size), Floats(), bounds + i);
      return;
    }
    for (std::int64_t i = 0; i < queries; ++i) bounds[i] = counted_bound(data_ + i * columns_, columns_, size);
  }

 private:
  static constexpr std::uintptr_t k_alignment = 16;  // floats: a cache line, and the widest vector

  static std::int64_t rounded(std::int64_t columns) {
    constexpr std::int64_t step = std::max<std::int64_t>(k_lanes, 8);
    return (columns + step - 1) / step * step;
  }

  std::int64_t rows_, columns_ = 0;
  std::vector<float> memory_;
  float* data_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
