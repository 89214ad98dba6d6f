#include "cpu/nearest.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "cpu/names.hpp"
#include "cpu/vector/highway.hpp"
#define HWY_TARGET_INCLUDE "cpu/nearest.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/vector/near_bounds-inl.hpp"
#include "cpu/vector/neighbor_list-inl.hpp"
#include "cpu/vector/query_bounds-inl.hpp"
#include "cpu/vector/write_row-inl.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Buckets that a team may share; a team that needs more is spread out, and its queries descend alone.
constexpr std::int64_t k_shared_buckets = 128;

template <int D, class List>
class NearestFinder {
 public:
  explicit NearestFinder(const NearestSearch<D>& s)
      : s_(s),
        p_(*s.problem),
        levels_(*s.boxes),
        size_(p_.list_size()),
        looked_at_((std::min(std::max(k_min_bound_candidates, 3 * size_), p_.data_count) + k_group - 1) / k_group *
                   k_group),
        sq_dists_(static_cast<std::size_t>(looked_at_ * k_rows)) {
    for (Member& member : team_) member.list = List(size_);
    for (int a = 0; a < D; ++a) {
      shared_boxes_.lo[a].resize(k_shared_buckets);
      shared_boxes_.hi[a].resize(k_shared_buckets);
    }
    shared_boxes_.first_id.resize(k_shared_buckets);
  }

  /// Queries [begin, end), at most k_nearest_team of them.
  void run(std::int64_t begin, std::int64_t end) {
    for (std::int64_t query = begin; query < end; ++query) start(team_[query - begin], query);
    find_bounds(end - begin);
    const bool shared = find_shared(end - begin);
    for (Member* member = team_; member != team_ + (end - begin); ++member) {
      if (shared) {
        offer_shared(*member);
      } else {
        descend_alone(*member);
      }
      insert(*member);
      member->list.settle();
    }
    for (Member* member = team_; member != team_ + (end - begin); ++member) {
      HWY_ALIGN NeighborKey keys[List::k_capacity];
      write_row(member->list.write(keys), size_, s_.rows, s_.queries.ids[member->query]);
    }
  }

 private:
  /// CandidateBuffer that are put into the list at once.
  static constexpr std::int64_t k_at_once = 16;
  /// Data around a query's rank that its first bound comes from, where three lists are fewer.
  static constexpr std::int64_t k_min_bound_candidates = 48;
  static constexpr std::int64_t k_rows = std::max(k_lanes, k_nearest_team);

  struct Member {
    List list{0};
    QueryBounds<D> bounds;
    std::int64_t query = 0;
    std::int64_t insertions = 0;
    CandidateBuffer<k_at_once + k_lanes> candidates;
  };

  HWY_INLINE void start(Member& m, std::int64_t query) {
    fetch(std::min(query + 2 * k_row_prefetch, s_.queries.count - 1));
    m.query = query;
    m.list.clear();
    m.candidates.count = 0;
    for (int a = 0; a < D; ++a) m.bounds.lo[a] = m.bounds.hi[a] = hn::Set(Floats(), s_.queries.axes[a][query]);
    m.bounds.last_id = hn::Set(Signed(), std::numeric_limits<std::int32_t>::max());
  }

  /// The first bounds come from the points around the queries' ranks.
  HWY_INLINE void find_bounds(std::int64_t count) {
    const auto none = hn::Set(Floats(), std::numeric_limits<float>::infinity());
    for (std::int64_t i = 0; i < count; ++i) {
      const Member& m = team_[i];
      const Window window = window_around(s_.ranks[m.query], looked_at_ / 2, s_.data.count);
      float* const row = sq_dists_.data() + i * looked_at_;
      for (std::int64_t at = 0; at < looked_at_; at += k_lanes) {
        if (at >= window.end - window.begin) {
          hn::StoreU(none, Floats(), row + at);
          continue;
        }
        const auto places = places_from(window.begin + at);
        const auto other = hn::And(hn::Gt(hn::Set(Signed(), static_cast<std::int32_t>(window.end)), places),
                                   hn::Ne(places, hn::Set(Signed(), self_of(m))));
        hn::StoreU(hn::IfThenElse(hn::RebindMask(Floats(), other), sq_dists_from(m, window.begin + at), none), Floats(),
                   row + at);
      }
    }
    HWY_ALIGN float bounds[k_rows] = {};
    if (size_ > k_max_bounded) {
      for (std::int64_t i = 0; i < count; ++i) {
        float* const row = sq_dists_.data() + i * looked_at_;
        std::nth_element(row, row + size_ - 1, row + looked_at_);
        bounds[i] = std::min(row[size_ - 1], std::numeric_limits<float>::max());
      }
    } else {
      for (std::int64_t i = 0; i < count && size_ > 0; i += k_lanes)
        hn::Store(near_bounds(sq_dists_.data() + i * looked_at_, looked_at_, looked_at_, size_), Floats(), bounds + i);
    }
    for (std::int64_t i = 0; i < count; ++i) team_[i].bounds.bound = hn::Set(Floats(), bounds[i]);
  }

  HWY_INLINE std::int32_t self_of(const Member& m) const {
    return p_.drop_self ? static_cast<std::int32_t>(m.query) : -1;
  }

  HWY_INLINE hn::Vec<Floats> sq_dists_from(const Member& m, std::int64_t at) const {
    hn::Vec<Floats> differences[D];
    for (int a = 0; a < D; ++a) differences[a] = hn::Sub(m.bounds.lo[a], hn::LoadU(Floats(), s_.data.axes[a] + at));
    return sum_of_squares(differences);
  }

  /// Brings near what a later query begins with.
  HWY_INLINE void fetch(std::int64_t query) const {
    fetch_row(s_.rows, s_.queries.ids[query]);
    const std::uint32_t rank = s_.ranks[query];
    for (int a = 0; a < D; ++a) __builtin_prefetch(s_.data.axes[a] + rank);
    __builtin_prefetch(s_.data.ids + rank);
  }

  /// Puts the finds into the list.
  HWY_INLINE void insert(Member& m) {
    m.list.insert(m.candidates, nullptr, false);
    m.candidates.count = 0;
    if (!(m.list.last_sq_dist() <= hn::GetLane(m.bounds.bound))) return;
    m.bounds.bound = m.list.bound();
    m.bounds.last_id = m.list.last_id();
    ++m.insertions;
  }

  /// The buckets that any of the first `count` members may need, their boxes side by side; false when they are too
  /// many.
  HWY_INLINE bool find_shared(std::int64_t count) {
    QueryBounds<D> all = team_[0].bounds;
    for (std::int64_t i = 1; i < count; ++i) {
      const QueryBounds<D>& one = team_[i].bounds;
      for (int a = 0; a < D; ++a) {
        all.lo[a] = hn::Min(all.lo[a], one.lo[a]);
        all.hi[a] = hn::Max(all.hi[a], one.hi[a]);
      }
      const auto ids = hn::IfThenElse(hn::RebindMask(Signed(), hn::Gt(one.bound, all.bound)), one.last_id,
                                      hn::Max(one.last_id, all.last_id));
      all.last_id = hn::IfThenElse(hn::RebindMask(Signed(), hn::Lt(one.bound, all.bound)), all.last_id, ids);
      all.bound = hn::Max(all.bound, one.bound);
    }
    shared_ = 0;
    const bool few = descend(all, 0, [&](std::int64_t bucket) HWY_ATTR {
      if (shared_ == k_shared_buckets) return false;
      for (int a = 0; a < D; ++a) {
        shared_boxes_.lo[a][shared_] = levels_[0].lo[a][bucket];
        shared_boxes_.hi[a][shared_] = levels_[0].hi[a][bucket];
      }
      shared_boxes_.first_id[shared_] = levels_[0].first_id[bucket];
      shared_buckets_[shared_++] = bucket;
      return true;
    });
    return few;
  }

  HWY_INLINE void offer_shared(Member& m) {
    for (std::int64_t begin = 0; begin < shared_; begin += k_group) {
      std::uint32_t near = m.bounds.near(shared_boxes_, begin);
      if (shared_ - begin < k_group) near &= (1u << (shared_ - begin)) - 1;
      for (; near != 0; near &= near - 1) offer(m, shared_buckets_[begin + std::countr_zero(near)]);
    }
  }

  void descend_alone(Member& m) {
    descend(m.bounds, m.insertions, [&](std::int64_t bucket) HWY_ATTR {
      offer(m, bucket);
      return true;
    });
  }

  /// Calls visit(bucket) for all buckets near what `reach` holds at that time, until it returns false: then so does
  /// this. What was near when a group of boxes was entered is tested again after `insertions` has changed, so
  /// that of many copies of a point few are visited.
  template <class Visit>
  HWY_INLINE bool descend(const QueryBounds<D>& bounds, const std::int64_t& insertions, Visit visit) const {
    struct Group {
      std::int64_t begin;   // its first box
      std::uint32_t near;   // those of its boxes still to be visited
      std::int64_t tested;  // `insertions` when they were found
    };
    std::array<Group, 8> path;  // 16⁸ buckets are more than there are points
    const int top = static_cast<int>(levels_.size()) - 1;
    int level = top;
    path[top] = {0, bounds.near(levels_[top], 0), insertions};
    for (;;) {
      Group& group = path[level];
      if (group.near != 0 && group.tested != insertions) {
        group.near &= bounds.near(levels_[level], group.begin);
        group.tested = insertions;
      }
      if (group.near == 0) {
        if (level++ == top) return true;
        continue;
      }
      const std::int64_t box = group.begin + std::countr_zero(group.near);
      group.near &= group.near - 1;
      if (level == 0) {
        if (!visit(box)) return false;
      } else {
        --level;
        path[level] = {box * k_group, bounds.near(levels_[level], box * k_group), insertions};
      }
    }
  }

  HWY_INLINE void offer(Member& m, std::int64_t bucket) {
    const std::int64_t begin = bucket * k_group, end = std::min(begin + k_group, s_.data.count);
    for (std::int64_t at = begin; at < end; at += k_lanes) {
      const auto sq_dists = sq_dists_from(m, at);
      auto near = hn::Le(sq_dists, m.bounds.bound);
      near = hn::And(near, hn::RebindMask(Floats(), hn::Ne(places_from(at), hn::Set(Signed(), self_of(m)))));
      if (end - at < k_lanes) near = hn::And(near, hn::FirstN(Floats(), static_cast<std::size_t>(end - at)));
      m.candidates.count =
          m.candidates.append(m.candidates.count, sq_dists, hn::LoadU(Unsigned(), s_.data.ids + at), near);
      if (m.candidates.count >= k_at_once) insert(m);
    }
  }

  const NearestSearch<D>& s_;
  const Problem& p_;
  const std::vector<BoxLevel<D>>& levels_;
  const std::int64_t size_, looked_at_;
  std::vector<float> sq_dists_;  // a row a member
  Member team_[k_nearest_team];
  BoxLevel<D> shared_boxes_;  // of shared_buckets_[0 … shared_)
  std::array<std::int64_t, k_shared_buckets> shared_buckets_{};
  std::int64_t shared_ = 0;
};

template <int D, class List>
void find_with(const NearestSearch<D>& s, std::int64_t begin, std::int64_t end) {
  NearestFinder<D, List> finder(s);
  for (std::int64_t i = begin; i < end; i += k_nearest_team) finder.run(i, std::min(i + k_nearest_team, end));
}

template <int D>
void find_range(const NearestSearch<D>& s, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = s.problem->list_size();
  if (size <= 8) return find_with<D, RegisterList<8>>(s, begin, end);
  if (size <= 32) return find_with<D, RegisterList<32>>(s, begin, end);
  find_with<D, BufferList>(s, begin, end);
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kann::cpu {

template <int D>
void find_nearest(const NearestSearch<D>& search, std::int64_t begin, std::int64_t end) {
  KANN_DISPATCH(find_range<D>)(search, begin, end);
}

template void find_nearest<2>(const NearestSearch<2>&, std::int64_t, std::int64_t);
template void find_nearest<3>(const NearestSearch<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu
#endif
