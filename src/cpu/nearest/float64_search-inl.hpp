// The exact search of a team of queries by float64 distances, which decide. Compiled once per vector target: see
// vector/lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "cpu/nearest/exact_points-inl.hpp"
#include "cpu/nearest/exact_row-inl.hpp"
#include "cpu/nearest/float64_list-inl.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/nearest/nearest_place-inl.hpp"
#include "cpu/nearest/query_bounds-inl.hpp"
#include "cpu/nearest/shared_buckets-inl.hpp"
#include "cpu/vector/query_team-inl.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// `Real`: the type of the coordinates as they were given.
///
/// A box is skipped when (sq_distance() of the gaps between it and the query, the smallest index in it) is not below
/// the last neighbour: sq_distance() is monotone in every gap, rounding included, so that no point of the box is below
/// it, either.
template <int D, class Real, class List>
class Float64Search {
 public:
  explicit Float64Search(const NearestSearch<D>& s)
      : s_(s),
        p_(*s.problem),
        data_(s.template exact_data<Real>()),
        boxes_(s.template exact_boxes<Real>()),
        size_(p_.list_size()),
        list_(size_),
        first_count_(first_bound_candidates(size_, p_.data_count)),
        first_(k_nearest_team, first_count_),
        row_(size_) {}

  /// Writes the rows of queries [begin, end), at most k_nearest_team of them.
  HWY_NOINLINE void run(std::int64_t begin, std::int64_t end) {
    count_ = end - begin;
    for (std::int64_t i = 0; i < count_; ++i) {
      prefetch_query(s_, std::min(begin + i + 2 * k_row_prefetch, s_.queries.count - 1));
      start(team_[i], begin + i);
    }
    lower_first_bounds();
    search();
  }

  /// Writes the rows of `count` queries, at most k_nearest_team.
  HWY_NOINLINE void run(const BoundedQuery* queries, std::int64_t count) {
    count_ = count;
    for (std::int64_t i = 0; i < count_; ++i) {
      start(team_[i], queries[i].query);
      team_[i].bounds.bound = hn::Set(Doubles(), queries[i].sq_dist);
    }
    search();
  }

 private:
  struct Member {
    Float64Bounds<D> bounds;
    std::int64_t query = 0;
    std::int64_t self = -1;  // place of the query if it is a data point to be dropped
  };

  HWY_INLINE void start(Member& m, std::int64_t query) {
    m.query = query;
    m.self = p_.drop_self ? s_.ranks[query] : -1;
    const auto point = s_.template exact_query<Real>(query);
    for (int a = 0; a < D; ++a) m.bounds.lo[a] = m.bounds.hi[a] = hn::Set(Doubles(), point[a]);
    m.bounds.bound = hn::Set(Doubles(), std::numeric_limits<double>::infinity());
    m.bounds.last_id = hn::Set(Longs(), std::numeric_limits<std::int32_t>::max());
  }

  /// Lowers the bounds to what the points around the queries' ranks, or around one place, give. Their squared distances
  /// are rounded up to float32.
  void lower_first_bounds(std::optional<std::int64_t> place = {}) {
    HWY_ALIGN float bounds[std::max<std::int64_t>(k_lanes, k_nearest_team)] = {};
    for (std::int64_t i = 0; i < count_; ++i) {
      const Member& m = team_[i];
      const Window window = window_around(place.value_or(s_.ranks[m.query]), first_count_ / 2, data_.count);
      first_.fill_float64(i, m.bounds.lo, data_, window.begin, window.end - window.begin, m.self, 1 / p_.unit);
    }
    first_.find_bounds(count_, size_, bounds);
    for (std::int64_t i = 0; i < count_; ++i)
      if (bounds[i] < std::numeric_limits<float>::max())
        team_[i].bounds.bound =
            hn::Min(team_[i].bounds.bound, hn::Set(Doubles(), bounds[i] * p_.unit * p_.unit + 0x1p-1020));
  }

  /// As in FilterTeam.
  HWY_NOINLINE bool finds_buckets_by_lower_bounds() {
    if (shared_.find(boxes_, team_->bounds)) return false;  // the queries are far apart
    lower_first_bounds(nearest_place(boxes_, data_, team_->bounds));
    return shared_.find(boxes_, team_bounds(team_, count_));
  }

  HWY_NOINLINE void search() {
    const bool shares_buckets = shared_.find(boxes_, team_bounds(team_, count_)) || finds_buckets_by_lower_bounds();
    for (Member* m = team_; m != team_ + count_; ++m) {
      list_.clear();
      const auto visit = [&](std::int64_t bucket) HWY_ATTR {
        scan(*m, bucket);
        return true;
      };
      if (shares_buckets) {
        shared_.for_each_near(m->bounds, visit);
      } else {
        descend_nearest_first(boxes_, m->bounds, visit);
      }
      const std::int64_t found = list_.finish();
      list_.copy(row_.sq_dists.data(), row_.ids.data());
      row_.template write<false>(found, s_.rows, s_.queries.ids[m->query]);
    }
  }

  /// Collects the candidates of a bucket.
  HWY_INLINE void scan(Member& m, std::int64_t bucket) {
    const std::int64_t begin = bucket * k_group, end = std::min(begin + k_group, data_.count);
    const std::int64_t self = m.self;
    for (std::int64_t at = begin; at < end; at += k_key_lanes) {
      const auto sq_dists = sq_distances(m.bounds.lo, data_, at);
      const auto ids = load_longs(data_.ids + at);
      auto near = m.bounds.below(sq_dists, ids);
      if (self >= at && self < at + k_key_lanes)
        near = hn::AndNot(hn::RebindMask(Doubles(), hn::Eq(hn::Iota(Longs(), 0), hn::Set(Longs(), self - at))), near);
      if (end - at < k_key_lanes) near = hn::And(near, hn::FirstN(Doubles(), static_cast<std::size_t>(end - at)));
      if (list_.append(sq_dists, ids, near) && list_.flush()) lower_bounds(m);
    }
  }

  HWY_INLINE void lower_bounds(Member& m) {
    if (!(list_.bound() <= hn::GetLane(m.bounds.bound))) return;
    m.bounds.bound = hn::Set(Doubles(), list_.bound());
    m.bounds.last_id = hn::Set(Longs(), list_.last_id());
  }

  const NearestSearch<D>& s_;
  const Problem& p_;
  const PlacedView<D, Real>& data_;
  const std::vector<BoxLevel<D, Real>>& boxes_;
  const std::int64_t size_;
  Float64List<List> list_;  // the list of the current member
  const std::int64_t first_count_;
  std::int64_t count_ = 0;  // members of the team
  Member team_[k_nearest_team];
  FirstDistances<D> first_;
  SharedBuckets<D, Real> shared_;
  ExactRow<List> row_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
