// Prepares the float32 search of a team of queries: finds their first bounds, and the buckets that may hold their
// neighbours. Compiled once per vector target: see vector/lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cpu/nearest/exact_points-inl.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/nearest/nearest_place-inl.hpp"
#include "cpu/nearest/query_bounds-inl.hpp"
#include "cpu/nearest/shared_buckets-inl.hpp"
#include "cpu/vector/placed_points.hpp"
#include "cpu/vector/query_team-inl.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Guesses the distance to the last neighbour of a query from that of the query before it.
template <int D>
class BoundGuess {
 public:
  /// @param size ≥ 1, the number of neighbours in a list
  explicit BoundGuess(std::int64_t size) : surplus_(1 + 1.15f / std::sqrt(static_cast<float>(size))) {}

  /// A squared distance that the last neighbours of queries [begin, begin + count) hardly exceed if the query before is
  /// near them; −1: no guess. Where the density is even, the number of points within a distance varies by about its
  /// root.
  float of(const PlacedView<D>& queries, std::int64_t begin, std::int64_t count) const {
    if (!(before_ > 0x1p-100f && before_ < 0x1p100f)) return -1;
    for (std::int64_t i = begin; i < begin + count; ++i) {
      float moved = 0;
      for (int a = 0; a < D; ++a) {
        const float x = queries.axes[a][i] - place_before_[a];
        moved += x * x;
      }
      if (!(moved < 4 * before_)) return -1;
    }
    return before_ * surplus_;
  }

  /// Makes query `i`, whose last neighbour has this squared distance, the one that the next guess comes from.
  void remember(const PlacedView<D>& queries, std::int64_t i, float last_sq_dist) {
    before_ = last_sq_dist;
    for (int a = 0; a < D; ++a) place_before_[a] = queries.axes[a][i];
  }

 private:
  float surplus_;
  float before_ = -1;           // the last squared distance of the query before, …
  float place_before_[D] = {};  // … and its place
};

/// A team of at most k_nearest_team queries. It does not depend on the kind of their lists, so that it is compiled once
/// for all kinds. `k_is_exact` means the same as in FilteredSearch.
template <int D, bool k_is_exact>
class FilterTeam {
 public:
  /// The state of a query. filtered: its list holds its neighbours; written: its row is written; doubtful: float32 has
  /// no finite bound, or too many candidates within it.
  enum class State { filtered, written, doubtful };

  struct Member {
    std::conditional_t<k_is_exact, TiedBounds<D>, FilterBounds<D>> bounds;
    Widening widening;
    std::int64_t query = 0;
    std::int64_t self = -1;  // place of the query if it is a data point to be dropped
    State state = State::filtered;

    HWY_INLINE hn::Vec<Floats> widened(hn::Vec<Floats> bound) const {
      if constexpr (k_is_exact) {
        return bound;
      } else {
        return widening(bound);
      }
    }
  };

  /// @param guesses whether first bounds may be guessed. That pays where lists are long: a bound that 3·k points prove
  ///     has 2.2·k points within it, and finding such bounds takes a quarter of the time.
  FilterTeam(const NearestSearch<D>& s, bool guesses)
      : s_(s),
        p_(*s.problem),
        size_(p_.list_size()),
        first_count_(first_bound_candidates(size_, p_.data_count)),
        may_guess_(guesses),
        guesses_(size_),
        first_(k_nearest_team, first_count_) {}

  /// Starts queries [begin, end) and finds their first bounds. Not inlined, so that the searches with all kinds of
  /// lists share the code.
  HWY_NOINLINE void start(std::int64_t begin, std::int64_t end) {
    count_ = end - begin;
    for (Member* m = team_; m != team_ + count_; ++m) start(*m, begin + (m - team_));
    if (!guess_bounds()) find_first_bounds();
    shares_buckets_ = shared_.find(*s_.boxes, team_bounds(team_, count_)) || finds_buckets_by_lower_bounds();
  }

  HWY_INLINE std::int64_t count() const { return count_; }
  HWY_INLINE Member& operator[](std::int64_t i) { return team_[i]; }

  /// Calls visit(bucket) for each bucket that may hold neighbours of a member, until it returns false.
  template <class Visit>
  HWY_INLINE void for_each_near(const Member& m, Visit visit) const {
    if (shares_buckets_) {
      shared_.for_each_near(m.bounds, visit);
    } else {
      descend_nearest_first(*s_.boxes, m.bounds, visit);
    }
  }

  /// Whether the first bound of a member was a guess that failed: fewer points than wanted were within it, or too many.
  /// @param last the last squared distance of the member's list
  HWY_INLINE bool guessed_wrong(const Member& m, float last) const {
    return guess_ >= 0 && (m.state == State::doubtful || !(last <= guess_));
  }

  /// Starts a member again, with a bound that is proven.
  HWY_NOINLINE void start_again(Member& m) {
    const std::int64_t i = &m - team_;
    m.state = State::filtered;
    fill_first(i, s_.ranks[m.query]);
    begin_with(m, counted_bound(first_.row(i), first_.columns(), size_));
  }

  /// The last squared distance of the last member, for the guess of the next team.
  HWY_INLINE void remember(float last) {
    if (may_guess_) guesses_.remember(s_.queries, team_[count_ - 1].query, last);
  }

 private:
  static constexpr std::int64_t k_first_bounds = std::max<std::int64_t>(k_lanes, k_nearest_team);

  HWY_INLINE void start(Member& m, std::int64_t query) {
    prefetch_query(s_, std::min(query + 2 * k_row_prefetch, s_.queries.count - 1));
    m.query = query;
    m.self = p_.drop_self ? s_.ranks[query] : -1;
    m.state = State::filtered;
    float largest = 0;
    for (int a = 0; a < D; ++a) {
      const float x = s_.queries.axes[a][query];
      m.bounds.lo[a] = m.bounds.hi[a] = hn::Set(Floats(), x);
      largest = std::max(largest, std::abs(x));
    }
    if constexpr (k_is_exact) {
      m.bounds.last_id = hn::Set(Signed(), std::numeric_limits<std::int32_t>::max());
    } else {
      m.widening = Widening(p_, largest);
    }
  }

  /// Guesses that the last neighbours of the team are hardly farther than the last neighbour of the query before.
  /// Returns false if there is no guess.
  HWY_INLINE bool guess_bounds() {
    guess_ = may_guess_ ? guesses_.of(s_.queries, team_->query, count_) : -1;
    if (guess_ < 0) return false;
    for (Member* m = team_; m != team_ + count_; ++m) m->bounds.bound = m->widened(hn::Set(Floats(), guess_));
    return true;
  }

  /// Sets the first bounds, which come from the points around the queries' ranks.
  HWY_INLINE void find_first_bounds() {
    HWY_ALIGN float bounds[k_first_bounds] = {};
    for (std::int64_t i = 0; i < count_; ++i) fill_first(i, s_.ranks[team_[i].query]);
    first_.find_bounds(count_, size_, bounds);
    for (std::int64_t i = 0; i < count_; ++i) begin_with(team_[i], bounds[i]);
  }

  HWY_INLINE void begin_with(Member& m, float bound) {
    m.bounds.bound = m.widened(hn::Set(Floats(), bound));
    if constexpr (k_is_exact) m.bounds.last_id = hn::Set(Signed(), std::numeric_limits<std::int32_t>::max());
    if (hn::GetLane(m.bounds.bound) < std::numeric_limits<float>::max()) return;
    m.state = State::doubtful;
    m.bounds.bound = hn::Set(Floats(), -1.0f);  // nothing is within it
  }

  /// If the first query alone has too many buckets within its bound, tries again with bounds that also come from the
  /// points around its nearest_place(): the ranks of queries beside the data say nothing about their neighbours. (10⁵
  /// queries above a plane of 10⁵ points: select 69 → 41 ms on two threads.)
  HWY_NOINLINE bool finds_buckets_by_lower_bounds() {
    if (shared_.find(*s_.boxes, team_->bounds)) return false;  // the queries are far apart
    const std::int64_t place = nearest_place(*s_.boxes, s_.data, team_->bounds);
    HWY_ALIGN float bounds[k_first_bounds] = {};
    for (std::int64_t i = 0; i < count_; ++i) fill_first(i, place);
    first_.find_bounds(count_, size_, bounds);
    for (std::int64_t i = 0; i < count_; ++i)
      team_[i].bounds.bound = hn::Min(team_[i].bounds.bound, team_[i].widened(hn::Set(Floats(), bounds[i])));
    return shared_.find(*s_.boxes, team_bounds(team_, count_));
  }

  HWY_INLINE void fill_first(std::int64_t i, std::int64_t place) {
    const Window window = window_around(place, first_count_ / 2, s_.data.count);
    first_.fill(i, team_[i].bounds.lo, s_.data, window.begin, window.end - window.begin, team_[i].self);
  }

  const NearestSearch<D>& s_;
  const Problem& p_;
  const std::int64_t size_, first_count_;
  const bool may_guess_;
  std::int64_t count_ = 0;
  float guess_ = -1;  // guess at the last squared distance of every member; less than 0: none
  BoundGuess<D> guesses_;
  Member team_[k_nearest_team];
  FirstDistances<D> first_;
  SharedBuckets<D, float> shared_;
  bool shares_buckets_ = false;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
