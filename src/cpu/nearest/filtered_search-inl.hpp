// The exact search of a team of queries by float32 distances. These nearly always find the neighbours, and show when
// they may not have found them. Compiled once per vector target: see vector/lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cpu/nearest/filter_team-inl.hpp"
#include "cpu/nearest/final_row-inl.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/vector/candidate_buffer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// `k_is_exact`: float32 squared distances are exact, since all coordinates are multiples of one power of two, and not
/// too many of these apart (geometry/lattice.hpp).
///
/// The list holds the k smallest float32 squared distances. The last of them, widened as geometry/filter.hpp proves, is
/// a bound: every point beyond it is farther in float64 than all k. So boxes and points beyond it are skipped, and if
/// all points that the list left out are beyond it, the list holds the neighbours; float64 then only orders them.
/// Otherwise float64 chooses among all candidates, unless there are too many of them to be kept. Where float32 is
/// exact, the list and the bound compare (squared distance, index); the list then holds the neighbours if its last
/// squared distance is small enough to be exact.
template <int D, bool k_is_exact, class List>
class FilteredSearch {
 public:
  explicit FilteredSearch(const NearestSearch<D>& s)
      : s_(s),
        p_(*s.problem),
        max_candidates_(max_candidates(p_.list_size())),
        candidates_(max_candidates_ + k_flush_size),
        team_(s, p_.list_size() > 16),
        final_(s) {
    for (FilterList& list : lists_) list = FilterList(p_.list_size());
  }

  /// Writes the rows of queries [begin, end), at most k_nearest_team of them. Queries that float32 does not decide are
  /// appended to `undecided` instead.
  HWY_INLINE void run(std::int64_t begin, std::int64_t end, std::vector<BoundedQuery>& undecided) {
    team_.start(begin, end);
    for (std::int64_t i = 0; i < team_.count(); ++i) {
      Member& m = team_[i];
      FilterList& list = lists_[i];
      list.clear();
      candidates_.count = inserted_ = 0;
      if (m.state != State::doubtful)
        team_.for_each_near(m, [&](std::int64_t bucket) HWY_ATTR { return scan(m, list, bucket); });
      finish(m, list);
      if (team_.guessed_wrong(m, list.last_sq_dist())) search_again(m, list);
      if constexpr (k_is_exact) {
        if (!(list.last_sq_dist() < s_.exact_below)) m.state = State::doubtful;
      } else {
        // The list is full, unless coordinates became NaN after they were checked: then it has places without a point
        if (list.last_key() == k_none) m.state = State::doubtful;
        if (m.state == State::doubtful || list.leaves_out_only_beyond(m.bounds.bound)) continue;
        final_.choose(m.query, candidates_, m.bounds.bound);
        m.state = State::written;
      }
    }
    for (std::int64_t i = 0; i < team_.count(); ++i) {
      const std::int64_t query = team_[i].query;
      if (team_[i].state == State::filtered) {
        final_.write(query, lists_[i]);
      } else if (team_[i].state == State::doubtful) {
        undecided.push_back({query, final_.bound_of(query, lists_[i])});
      }
    }
    team_.remember(lists_[team_.count() - 1].last_sq_dist());
  }

 private:
  using Team = FilterTeam<D, k_is_exact>;
  using Member = typename Team::Member;
  using State = typename Team::State;
  using FilterList = typename List::template Of<std::conditional_t<k_is_exact, NeighborKeys, FilterKeys>>;

  /// The number of candidates that are put into the list at once.
  static constexpr std::int64_t k_flush_size = 16;

  static constexpr std::int64_t max_candidates(std::int64_t size) { return 8 * k_flush_size + 4 * size; }
  using Candidates = LongCandidateBuffer<List::k_capacity == 1 ? 0 : max_candidates(List::k_capacity) + k_flush_size>;

  /// Searches from a bound that is proven.
  HWY_NOINLINE void search_again(Member& m, FilterList& list) {
    team_.start_again(m);
    list.clear();
    candidates_.count = inserted_ = 0;
    if (m.state != State::doubtful)
      descend_nearest_first(*s_.boxes, m.bounds, [&](std::int64_t bucket) HWY_ATTR { return scan(m, list, bucket); });
    finish(m, list);
  }

  /// Puts the last candidates into the list.
  HWY_INLINE void finish(Member& m, FilterList& list) {
    flush(m, list);
    list.finish();
    lower_bound(m, list);
  }

  /// Puts the candidates into the list, and lowers the bound by it.
  HWY_INLINE void flush(Member& m, FilterList& list) {
    list.insert(&candidates_.sq_dists()[inserted_], &candidates_.ids()[inserted_], candidates_.count - inserted_);
    if constexpr (k_is_exact) candidates_.count = 0;  // float64 will not choose among them
    inserted_ = candidates_.count;
    lower_bound(m, list);
  }

  HWY_INLINE void lower_bound(Member& m, const FilterList& list) {
    if constexpr (k_is_exact) {
      if (!(list.last_sq_dist() <= hn::GetLane(m.bounds.bound))) return;
      m.bounds.bound = list.bound();
      m.bounds.last_id = list.last_id();
    } else {
      m.bounds.bound = hn::Min(m.bounds.bound, m.widened(list.bound()));  // a branch would be mispredicted often
    }
  }

  /// Collects the candidates of a bucket; false when there are too many.
  HWY_INLINE bool scan(Member& m, FilterList& list, std::int64_t bucket) {
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
      flush(m, list);
      if (candidates_.count <= max_candidates_ || drops_candidates(m, list)) continue;
      m.state = State::doubtful;
      return false;
    }
    return true;
  }

  /// Drops the candidates that the bound leaves out by now; false if most are left: then many are about equally far.
  HWY_NOINLINE bool drops_candidates(Member& m, FilterList& list) {
    list.finish();
    lower_bound(m, list);
    candidates_.keep_within(m.bounds.bound);
    inserted_ = candidates_.count;
    return candidates_.count <= max_candidates_ - max_candidates_ / 4;
  }

  const NearestSearch<D>& s_;
  const Problem& p_;
  const std::int64_t max_candidates_;
  Candidates candidates_;
  std::int64_t inserted_ = 0;  // candidates that are in the list
  Team team_;
  FilterList lists_[k_nearest_team];  // one per member
  FinalRow<D, List, k_is_exact> final_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
