// Writes the row of a query after its search by float32 distances: float64 orders the neighbours, and chooses them
// where float32 cannot. Compiled once per vector target: see vector/lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cpu/nearest/exact_points-inl.hpp"
#include "cpu/nearest/exact_row-inl.hpp"
#include "cpu/nearest/float64_list-inl.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/vector/candidate_buffer-inl.hpp"
#include "geometry/filter.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// `k_is_exact`: the keys of lists hold exact squared distances and ids; otherwise they hold rounded squared distances
/// and the places of points.
template <int D, class List, bool k_is_exact>
class FinalRow {
 public:
  explicit FinalRow(const NearestSearch<D>& s) : s_(s), size_(s.problem->list_size()), row_(size_), list_(size_) {}

  /// Writes the row of a query whose neighbours are the points of `list`, which is full.
  template <class FilterList>
  HWY_INLINE void write(std::int64_t query, FilterList& list) {
    HWY_ALIGN NeighborKey memory[List::k_capacity];
    write_keys(query, list.write(memory));
  }

  /// Writes the row of a query whose neighbours have these keys.
  HWY_INLINE void write_keys(std::int64_t query, const NeighborKey* keys) {
    const std::int64_t row = s_.queries.ids[query];
    if (size_ <= k_key_lanes) {
      const auto [sq_dists, ids] = measure(points_of(query), keys, 0);
      return row_.write(sq_dists, ids, size_, s_.rows, row);
    }
    measure(query, keys);
    row_.template write<true>(size_, s_.rows, row);
  }

  /// Writes the rows of `count` queries from `first` on, which have one neighbour each. Lane i of `places` is the place
  /// of the neighbour of query first + i; the other lanes hold the place of any point.
  HWY_INLINE void write_nearest(std::int64_t first, std::int64_t count, hn::Vec<Longs> places) const {
    const ExactPoints<D> points(s_, first, count);
    HWY_ALIGN float distances[k_key_lanes];
    HWY_ALIGN std::int32_t ids[k_key_lanes];
    hn::Store(rounded_roots(points.sq_distances(places)), HalfFloats(), distances);
    hn::Store(points.ids(places), HalfSigned(), ids);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = s_.queries.ids[first + i];
      s_.rows.ids[row] = ids[i];
      s_.rows.distances[row] = distances[i];
    }
  }

  /// Writes the row of a query whose neighbours are among the candidates within `bound`, a float32 squared distance.
  template <class Candidates>
  void choose(std::int64_t query, Candidates& candidates, hn::Vec<Floats> bound) {
    if (candidates.count > k_few) drop_beyond(bound, candidates);
    list_.clear();
    const auto points = points_of(query);
    for (std::int64_t i = 0; i < candidates.count; i += k_key_lanes) {
      const auto present = hn::FirstN(Doubles(), static_cast<std::size_t>(candidates.count - i));
      const auto places = hn::IfThenElseZero(hn::RebindMask(Longs(), present), load_longs(&candidates.ids()[i]));
      list_.append(points.sq_distances(places), hn::PromoteTo(Longs(), points.ids(places)),
                   std::min<std::int64_t>(k_key_lanes, candidates.count - i));
    }
    const std::int64_t found = list_.finish();
    list_.copy(row_.sq_dists.data(), row_.ids.data());
    row_.template write<false>(found, s_.rows, s_.queries.ids[query]);
  }

  /// A squared distance in float64 that at least list_size() points do not exceed; infinite if the list is not full.
  template <class FilterList>
  double bound_of(std::int64_t query, FilterList& list) {
    if (list.last_key() == k_none) return std::numeric_limits<double>::infinity();
    if constexpr (k_is_exact) return GivenFilter().exact_above(list.last_sq_dist());
    HWY_ALIGN NeighborKey memory[List::k_capacity];
    measure(query, list.write(memory));
    return *std::max_element(row_.sq_dists.begin(), row_.sq_dists.begin() + size_);
  }

 private:
  /// So many candidates are few enough for float64 to choose among all of them.
  static constexpr std::int64_t k_few = 32;

  HWY_INLINE ExactPoints<D> points_of(std::int64_t query) const { return {s_, query}; }

  template <class Candidates>
  static HWY_INLINE void drop_beyond(hn::Vec<Floats> bound, Candidates& candidates) {
    const std::int64_t seen = candidates.count;
    candidates.count = 0;
    for (std::int64_t i = 0; i < seen; i += k_lanes) {
      const auto sq_dists = hn::LoadU(Floats(), &candidates.sq_dists()[i]);
      const auto present = hn::FirstN(Floats(), static_cast<std::size_t>(seen - i));
      candidates.append(sq_dists, hn::LoadU(Unsigned(), &candidates.ids()[i]),
                        hn::And(present, hn::Le(sq_dists, bound)));
    }
  }

  /// Sets the squared distances in row_, in float64, and the ids to those of the points that have these keys.
  HWY_INLINE void measure(std::int64_t query, const NeighborKey* keys) {
    const auto points = points_of(query);
    for (std::int64_t j = 0; j < size_; j += k_key_lanes) {
      const auto [sq_dists, ids] = measure(points, keys, j);
      hn::StoreU(sq_dists, Doubles(), &row_.sq_dists[j]);
      hn::StoreU(ids, HalfSigned(), &row_.ids[j]);
    }
  }

  struct Measured {
    hn::Vec<Doubles> sq_dists;
    hn::Vec<HalfSigned> ids;
  };

  /// The squared distances and ids of the points of one vector of keys, from the j-th on. Lanes past the last key stand
  /// for the point at place 0.
  HWY_INLINE Measured measure(const ExactPoints<D>& points, const NeighborKey* keys, std::int64_t j) const {
    const auto present = hn::RebindMask(Longs(), hn::FirstN(Doubles(), static_cast<std::size_t>(size_ - j)));
    const auto some = hn::MaskedLoad(present, Longs(), reinterpret_cast<const std::int64_t*>(keys + j));
    const auto low = hn::And(some, hn::Set(Longs(), 0xffffffff));
    if constexpr (k_is_exact) {
      const auto sq_dists = hn::BitCast(HalfFloats(), narrow(hn::ShiftRight<32>(some)));
      return {hn::PromoteTo(Doubles(), sq_dists), narrow(low)};
    } else {
      return {points.sq_distances(low), points.ids(low)};
    }
  }

  const NearestSearch<D>& s_;
  const std::int64_t size_;
  ExactRow<List> row_;
  Float64List<List> list_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
