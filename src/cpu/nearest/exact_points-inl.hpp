// Float64 squared distances from a query to any of the points as they were given, for the exact search. Compiled once
// per vector target: see lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/nearest/nearest.hpp"
#include "cpu/vector/lanes-inl.hpp"
#include "cpu/vector/query_team-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Prefetches what a later query begins with.
template <int D>
HWY_INLINE void prefetch_query(const NearestSearch<D>& s, std::int64_t query) {
  prefetch_row(s.rows, s.queries.ids[query]);
  prefetch_points(s.data, s.ranks[query]);
  if (!s.problem->is_rounded()) return;
  prefetch_points(s.given_data, s.ranks[query]);
  __builtin_prefetch(s.given_query(query));
}

/// The data as they were given, by place, relative to a query: float64s where the problem is rounded, otherwise
/// float32s. The type is chosen here, for whole vectors, so that the search around it is compiled once for both.
template <int D>
class ExactPoints {
 public:
  HWY_INLINE ExactPoints(const NearestSearch<D>& s, std::int64_t query) : s_(s), rounded_(s.problem->is_rounded()) {
    const auto point = rounded_ ? s.template exact_query<double>(query) : s.template exact_query<float>(query);
    for (int a = 0; a < D; ++a) query_[a] = hn::Set(Doubles(), point[a]);
  }

  /// The data relative to `count` ≥ 1 queries from `first` on, one per lane; lanes left over repeat the last query.
  HWY_INLINE ExactPoints(const NearestSearch<D>& s, std::int64_t first, std::int64_t count)
      : s_(s), rounded_(s.problem->is_rounded()) {
    HWY_ALIGN double axes[D][k_key_lanes];
    for (int lane = 0; lane < k_key_lanes; ++lane) {
      const std::int64_t query = first + std::min<std::int64_t>(lane, count - 1);
      const auto point = rounded_ ? s.template exact_query<double>(query) : s.template exact_query<float>(query);
      for (int a = 0; a < D; ++a) axes[a][lane] = point[a];
    }
    for (int a = 0; a < D; ++a) query_[a] = hn::Load(Doubles(), axes[a]);
  }

  HWY_INLINE hn::Vec<Doubles> sq_distances(hn::Vec<Longs> places) const {
    return rounded_ ? sq_distances_to(s_.given_data, places) : sq_distances_to(s_.data, places);
  }

  HWY_INLINE hn::Vec<HalfSigned> ids(hn::Vec<Longs> places) const {
    return hn::GatherIndex(HalfSigned(), reinterpret_cast<const std::int32_t*>(s_.data.ids), narrow(places));
  }

 private:
  template <class Real>
  HWY_INLINE hn::Vec<Doubles> sq_distances_to(const PlacedView<D, Real>& data, hn::Vec<Longs> places) const {
    hn::Vec<Doubles> differences[D];
    for (int a = 0; a < D; ++a) differences[a] = hn::Sub(query_[a], gather(data.axes[a], places));
    return sum_of_squares(differences);
  }
  static HWY_INLINE hn::Vec<Doubles> gather(const double* from, hn::Vec<Longs> places) {
    return hn::GatherIndex(Doubles(), from, places);
  }
  static HWY_INLINE hn::Vec<Doubles> gather(const float* from, hn::Vec<Longs> places) {
    return hn::PromoteTo(Doubles(), hn::GatherIndex(HalfFloats(), from, narrow(places)));
  }

  const NearestSearch<D>& s_;
  bool rounded_;
  hn::Vec<Doubles> query_[D];
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
