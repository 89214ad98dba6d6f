// The exact search of a team of queries by float32 distances, which find the neighbours nearly always, and tell when
// they may not have. Compiled once per vector target: see vector/lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "cpu/nearest/bound_guess.hpp"
#include "cpu/nearest/final_row-inl.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/nearest/nearest_place-inl.hpp"
#include "cpu/nearest/query_bounds-inl.hpp"
#include "cpu/nearest/shared_buckets-inl.hpp"
#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/query_team-inl.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// `k_is_exact`: float32 squared distances are exact, as the data's coordinates are multiples of one power of two, and
/// few enough of them apart (lattice.hpp).
///
/// The list holds the k smallest float32 squared distances. Widened as geometry/filter.hpp proves, the last of them is
/// a bound: every point beyond it is farther in float64 than all k. So boxes and points beyond it are skipped, and if
/// all points that the list left out are beyond it, the list holds the neighbours; float64 then only orders them.
/// Otherwise float64 chooses among all candidates, unless there are too many of them to be kept. Where float32 is
/// exact, the list and the bound are of (squared distance, index); it holds the neighbours if the last is near enough
/// for that.
template <int D, bool k_is_exact, class List>
class FilteredSearch {
 public:
  explicit FilteredSearch(const NearestSearch<D>& s)
      : s_(s),
        p_(*s.problem),
        size_(p_.list_size()),
        max_candidates_(max_candidates(size_)),
        first_count_(first_bound_candidates(size_, p_.data_count)),
        candidates_(max_candidates_ + k_flush_size),
        guesses_(size_),
        first_(k_nearest_team, first_count_),
        final_(s) {
    for (Member& member : team_) member.list = FilterList(size_);
  }

  /// Writes the rows of queries [begin, end), at most k_nearest_team of them, and appends those that float32 does not
  /// decide to `undecided` instead.
  HWY_INLINE void run(std::int64_t begin, std::int64_t end, std::vector<BoundedQuery>& undecided) {
    count_ = end - begin;
    for (Member* m = team_; m != team_ + count_; ++m) start(*m, begin + (m - team_));
    if (!guess_bounds()) find_first_bounds();
    const bool shares_buckets = shared_.find(*s_.boxes, team_bounds(team_, count_)) || finds_buckets_by_lower_bounds();
    for (Member* m = team_; m != team_ + count_; ++m) {
      candidates_.count = inserted_ = 0;
      const auto visit = [&](std::int64_t bucket) HWY_ATTR { return scan(*m, bucket); };
      if (m->state != State::doubtful) {
        if (shares_buckets) {
          shared_.for_each_near(m->bounds, visit);
        } else {
          descend_nearest_first(*s_.boxes, m->bounds, visit);
        }
      }
      finish(*m);
      if (guess_ >= 0 && (m->state == State::doubtful || !(m->list.last_sq_dist() <= guess_))) search_again(*m);
      if constexpr (k_is_exact) {
        if (!(m->list.last_sq_dist() < s_.exact_below)) m->state = State::doubtful;
      } else {
        if (m->state == State::doubtful || m->list.leaves_out_only_beyond(m->bounds.bound)) continue;
        final_.choose(m->query, candidates_, m->bounds.bound);
        m->state = State::written;
      }
    }
    for (Member* m = team_; m != team_ + count_; ++m) {
      if (m->state == State::filtered) {
        final_.write(m->query, m->list);
      } else if (m->state == State::doubtful) {
        undecided.push_back({m->query, final_.bound_of(m->query, m->list)});
      }
    }
    const Member& last = team_[count_ - 1];
    if constexpr (k_guesses) guesses_.remember(s_.queries, last.query, last.list.last_sq_dist());
  }

 private:
  using FilterList = typename List::template Of<std::conditional_t<k_is_exact, NeighborKeys, FilterKeys>>;
  using Bounds = std::conditional_t<k_is_exact, TiedBounds<D>, FilterBounds<D>>;

  static constexpr std::int64_t k_first_bounds = std::max<std::int64_t>(k_lanes, k_nearest_team);

  /// Candidates that are put into the list at once.
  static constexpr std::int64_t k_flush_size = 16;

  /// Whether first bounds may be guessed: where lists are long, bounds that are proven, by 3·k points, have 2.2·k
  /// points within them, and to find them takes a quarter of the time.
  static constexpr bool k_guesses = List::k_capacity == 1 || List::k_capacity > 16;

  /// Of a query: the list holds its neighbours; or its row is written; or float32 has no finite bound, or too many
  /// candidates within it.
  enum class State { filtered, written, doubtful };

  struct Member {
    FilterList list{0};
    Bounds bounds;
    Widening widened;
    std::int64_t query = 0;
    std::int64_t self = -1;  // place of the query, where it is a data point to be dropped
    State state = State::filtered;
  };

  static constexpr std::int64_t max_candidates(std::int64_t size) { return 8 * k_flush_size + 4 * size; }
  using Candidates = LongCandidateBuffer<List::k_capacity == 1 ? 0 : max_candidates(List::k_capacity) + k_flush_size>;

  HWY_INLINE void start(Member& m, std::int64_t query) {
    prefetch_query(s_, std::min(query + 2 * k_row_prefetch, s_.queries.count - 1));
    m.query = query;
    m.self = p_.drop_self ? s_.ranks[query] : -1;
    m.state = State::filtered;
    m.list.clear();
    float largest = 0;
    for (int a = 0; a < D; ++a) {
      const float x = s_.queries.axes[a][query];
      m.bounds.lo[a] = m.bounds.hi[a] = hn::Set(Floats(), x);
      largest = std::max(largest, std::abs(x));
    }
    if constexpr (k_is_exact) {
      m.bounds.last_id = hn::Set(Signed(), std::numeric_limits<std::int32_t>::max());
    } else {
      m.widened = Widening(p_, largest);
    }
  }

  /// Guesses that the last neighbours of the team are hardly farther than that of the query before. False: no guess.
  HWY_INLINE bool guess_bounds() {
    guess_ = k_guesses && !s_.known_bounds ? guesses_.of(s_.queries, team_->query, count_) : -1;
    if (guess_ < 0) return false;
    for (std::int64_t i = 0; i < count_; ++i) team_[i].bounds.bound = widened(team_[i], guess_);
    return true;
  }

  /// Searches from a bound that is proven, where fewer points than wanted were within the guess, or too many.
  HWY_NOINLINE void search_again(Member& m) {
    const std::int64_t i = &m - team_;
    m.state = State::filtered;
    m.list.clear();
    candidates_.count = inserted_ = 0;
    fill_first(i, s_.ranks[m.query]);
    begin_with(m, counted_bound(first_.row(i), first_.columns(), size_));
    if (m.state != State::doubtful)
      descend_nearest_first(*s_.boxes, m.bounds, [&](std::int64_t bucket) HWY_ATTR { return scan(m, bucket); });
    finish(m);
  }

  /// The first bounds are known, or come from the points around the queries' ranks.
  HWY_INLINE void find_first_bounds() {
    HWY_ALIGN float bounds[k_first_bounds] = {};
    if (s_.known_bounds) {
      std::copy_n(s_.known_bounds + team_[0].query, count_, bounds);
    } else {
      for (std::int64_t i = 0; i < count_; ++i) fill_first(i, s_.ranks[team_[i].query]);
      first_.find_bounds(count_, size_, bounds);
    }
    for (std::int64_t i = 0; i < count_; ++i) begin_with(team_[i], bounds[i]);
  }

  HWY_INLINE void begin_with(Member& m, float bound) {
    m.bounds.bound = widened(m, bound);
    if constexpr (k_is_exact) m.bounds.last_id = hn::Set(Signed(), std::numeric_limits<std::int32_t>::max());
    if (hn::GetLane(m.bounds.bound) < std::numeric_limits<float>::max()) return;
    m.state = State::doubtful;
    m.bounds.bound = hn::Set(Floats(), -1.0f);  // nothing is within it
  }

  /// Where the first bound of one query has too many buckets within it, tries again with bounds that come from the
  /// points around the nearest place, too: queries beside the data have ranks that say nothing of their neighbours.
  /// (10⁵ queries above a plane of 10⁵ points: select 69 → 41 ms on two threads.)
  HWY_NOINLINE bool finds_buckets_by_lower_bounds() {
    if (shared_.find(*s_.boxes, team_->bounds)) return false;  // the queries are far apart
    const std::int64_t place = nearest_place(*s_.boxes, s_.data, team_->bounds);
    HWY_ALIGN float bounds[k_first_bounds] = {};
    for (std::int64_t i = 0; i < count_; ++i) fill_first(i, place);
    first_.find_bounds(count_, size_, bounds);
    for (std::int64_t i = 0; i < count_; ++i)
      team_[i].bounds.bound = hn::Min(team_[i].bounds.bound, widened(team_[i], bounds[i]));
    return shared_.find(*s_.boxes, team_bounds(team_, count_));
  }

  HWY_INLINE void fill_first(std::int64_t i, std::int64_t place) {
    const Window window = window_around(place, first_count_ / 2, s_.data.count);
    first_.fill(i, team_[i].bounds.lo, s_.data, window.begin, window.end - window.begin, team_[i].self);
  }

  static HWY_INLINE hn::Vec<Floats> widened(const Member& m, float bound) {
    if constexpr (k_is_exact) {
      return hn::Set(Floats(), bound);
    } else {
      return m.widened(hn::Set(Floats(), bound));
    }
  }

  /// Puts the last candidates into the list.
  HWY_INLINE void finish(Member& m) {
    flush(m);
    m.list.finish();
    lower_bound(m);
  }

  /// Puts the candidates into the list, and lowers the bound by it.
  HWY_INLINE void flush(Member& m) {
    m.list.insert(&candidates_.sq_dists()[inserted_], &candidates_.ids()[inserted_], candidates_.count - inserted_);
    if constexpr (k_is_exact) candidates_.count = 0;  // float64 will not choose among them
    inserted_ = candidates_.count;
    lower_bound(m);
  }

  HWY_INLINE void lower_bound(Member& m) {
    if constexpr (k_is_exact) {
      if (!(m.list.last_sq_dist() <= hn::GetLane(m.bounds.bound))) return;
      m.bounds.bound = m.list.bound();
      m.bounds.last_id = m.list.last_id();
    } else {
      m.bounds.bound = hn::Min(m.bounds.bound, m.widened(m.list.bound()));  // a branch would be mispredicted often
    }
  }

  /// Collects the candidates of a bucket; false when there are too many.
  HWY_INLINE bool scan(Member& m, std::int64_t bucket) {
    const std::int64_t begin = bucket * k_group, end = std::min(begin + k_group, s_.data.count);
    const auto self = hn::Set(Signed(), static_cast<std::int32_t>(m.self));
    for (std::int64_t at = begin; at < end; at += k_lanes) {
      const auto sq_dists = sq_distances(m.bounds.lo, s_.data, at);
      const auto places = places_from(at);
      auto near = hn::Le(sq_dists, m.bounds.bound);
      if (p_.drop_self) near = hn::And(near, hn::RebindMask(Floats(), hn::Ne(places, self)));
      if (end - at < k_lanes) near = hn::And(near, hn::FirstN(Floats(), static_cast<std::size_t>(end - at)));
      candidates_.append(sq_dists,
                         k_is_exact ? hn::LoadU(Unsigned(), s_.data.ids + at) : hn::BitCast(Unsigned(), places), near);
      if (candidates_.count - inserted_ < k_flush_size) continue;
      flush(m);
      if (candidates_.count <= max_candidates_ || drops_candidates(m)) continue;
      m.state = State::doubtful;
      return false;
    }
    return true;
  }

  /// Drops the candidates that the bound leaves out by now; false if most are left: then many are about equally far.
  HWY_NOINLINE bool drops_candidates(Member& m) {
    m.list.finish();
    lower_bound(m);
    candidates_.keep_within(m.bounds.bound);
    inserted_ = candidates_.count;
    return candidates_.count <= max_candidates_ - max_candidates_ / 4;
  }

  const NearestSearch<D>& s_;
  const Problem& p_;
  const std::int64_t size_, max_candidates_, first_count_;
  Candidates candidates_;
  std::int64_t inserted_ = 0;  // candidates that are in the list
  std::int64_t count_ = 0;     // members of the team
  float guess_ = -1;           // at the last squared distance of each; less than 0: none
  BoundGuess<D> guesses_;
  Member team_[k_nearest_team];
  FirstDistances<D> first_;
  SharedBuckets<D, float> shared_;
  FinalRow<D, List, k_is_exact> final_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
