#include "cpu/nearest.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"
#define HWY_TARGET_INCLUDE "cpu/nearest.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/vector/box_descent-inl.hpp"
#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/query_bounds-inl.hpp"
#include "cpu/vector/query_team-inl.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

template <int D, class List>
class ExactSearch {
 public:
  static constexpr std::int64_t k_team = k_nearest_team;

  explicit ExactSearch(const NearestSearch<D>& s)
      : s_(s),
        p_(*s.problem),
        size_(p_.list_size()),
        first_count_(std::min(std::max(k_min_bound_candidates, 3 * size_), p_.data_count)),
        first_(k_team, rounded_to_group(first_count_)) {
    for (Member& member : team_) member.list = List(size_);
    for (int a = 0; a < D; ++a) {
      shared_boxes_.lo[a].resize(k_max_shared_buckets);
      shared_boxes_.hi[a].resize(k_max_shared_buckets);
    }
    shared_boxes_.first_id.resize(k_max_shared_buckets);
  }

  /// Queries [begin, end), at most k_team of them.
  void run(std::int64_t begin, std::int64_t end) {
    count_ = end - begin;
    for (Member* m = team_; m != team_ + count_; ++m) start(*m, begin + (m - team_));
    find_first_bounds();
    const bool shares_buckets = find_shared_buckets();
    for (Member* m = team_; m != team_ + count_; ++m) {
      if (shares_buckets) {
        scan_shared_buckets(*m);
      } else {
        scan_own_buckets(*m);
      }
      flush(*m);
      m->list.finish();
    }
    for (Member* m = team_; m != team_ + count_; ++m) {
      HWY_ALIGN NeighborKey keys[List::k_capacity];
      write_row(m->list.write(keys), size_, s_.rows, s_.queries.ids[m->query]);
    }
  }

 private:
  /// Candidates that are put into the list at once.
  static constexpr std::int64_t k_flush_size = 16;
  /// Points around a query's rank that its first bound comes from, where three lists are fewer.
  static constexpr std::int64_t k_min_bound_candidates = 48;
  /// Buckets that a team may share; where it needs more, its queries are far apart and descend alone.
  static constexpr std::int64_t k_max_shared_buckets = 128;

  struct Member {
    List list{0};
    QueryBounds<D> bounds;
    std::int64_t query = 0;
    std::int64_t updates = 0;  // of the bounds
    CandidateBuffer<k_flush_size + k_lanes> candidates;
  };

  static std::int64_t rounded_to_group(std::int64_t count) { return (count + k_group - 1) / k_group * k_group; }

  HWY_INLINE void start(Member& m, std::int64_t query) {
    prefetch(std::min(query + 2 * k_row_prefetch, s_.queries.count - 1));
    m.query = query;
    m.list.clear();
    m.candidates.count = 0;
    for (int a = 0; a < D; ++a) m.bounds.lo[a] = m.bounds.hi[a] = hn::Set(Floats(), s_.queries.axes[a][query]);
    m.bounds.last_id = hn::Set(Signed(), std::numeric_limits<std::int32_t>::max());
  }

  /// Prefetches what a later query begins with.
  HWY_INLINE void prefetch(std::int64_t query) const {
    prefetch_row(s_.rows, s_.queries.ids[query]);
    prefetch_points(s_.data, s_.ranks[query]);
  }

  HWY_INLINE std::int64_t self_of(const Member& m) const { return p_.drop_self ? m.query : -1; }

  /// The first bounds come from the points around the queries' ranks.
  HWY_INLINE void find_first_bounds() {
    HWY_ALIGN float bounds[std::max<std::int64_t>(k_lanes, k_team)] = {};
    if (size_ > 0) {
      for (std::int64_t i = 0; i < count_; ++i) {
        const Member& m = team_[i];
        const Window window = window_around(s_.ranks[m.query], rounded_to_group(first_count_) / 2, s_.data.count);
        first_.fill(i, m.bounds.lo, s_.data, window.begin, window.end - window.begin, self_of(m));
      }
      first_.find_bounds(count_, size_, bounds);
    }
    for (std::int64_t i = 0; i < count_; ++i) team_[i].bounds.bound = hn::Set(Floats(), bounds[i]);
  }

  /// Puts the candidates into the list, and lowers the bounds by it.
  HWY_INLINE void flush(Member& m) {
    m.list.insert(m.candidates, nullptr, false);
    m.candidates.count = 0;
    if (!(m.list.last_sq_dist() <= hn::GetLane(m.bounds.bound))) return;
    m.bounds.bound = m.list.bound();
    m.bounds.last_id = m.list.last_id();
    ++m.updates;
  }

  /// The bounds of a query anywhere in the box of the team.
  HWY_INLINE QueryBounds<D> team_bounds() const {
    QueryBounds<D> all = team_[0].bounds;
    for (std::int64_t i = 1; i < count_; ++i) {
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
    return all;
  }

  /// Collects the buckets that any member may need, and their boxes side by side; false where they are too many.
  HWY_INLINE bool find_shared_buckets() {
    const QueryBounds<D> all = team_bounds();
    shared_count_ = 0;
    return descend(*s_.boxes, all, 0, [&](std::int64_t bucket) HWY_ATTR {
      if (shared_count_ == k_max_shared_buckets) return false;
      const BoxLevel<D>& buckets = s_.boxes->front();
      for (int a = 0; a < D; ++a) {
        shared_boxes_.lo[a][shared_count_] = buckets.lo[a][bucket];
        shared_boxes_.hi[a][shared_count_] = buckets.hi[a][bucket];
      }
      shared_boxes_.first_id[shared_count_] = buckets.first_id[bucket];
      shared_buckets_[shared_count_++] = bucket;
      return true;
    });
  }

  HWY_INLINE void scan_shared_buckets(Member& m) {
    for (std::int64_t begin = 0; begin < shared_count_; begin += k_group) {
      std::uint32_t near = m.bounds.near(shared_boxes_, begin);
      if (shared_count_ - begin < k_group) near &= (1u << (shared_count_ - begin)) - 1;
      for (; near != 0; near &= near - 1) scan(m, shared_buckets_[begin + std::countr_zero(near)]);
    }
  }

  void scan_own_buckets(Member& m) {
    descend(*s_.boxes, m.bounds, m.updates, [&](std::int64_t bucket) HWY_ATTR {
      scan(m, bucket);
      return true;
    });
  }

  /// Collects the candidates of a bucket.
  HWY_INLINE void scan(Member& m, std::int64_t bucket) {
    const std::int64_t begin = bucket * k_group, end = std::min(begin + k_group, s_.data.count);
    const auto self = hn::Set(Signed(), static_cast<std::int32_t>(self_of(m)));
    for (std::int64_t at = begin; at < end; at += k_lanes) {
      const auto sq_dists = sq_distances(m.bounds.lo, s_.data, at);
      auto near = hn::Le(sq_dists, m.bounds.bound);
      near = hn::And(near, hn::RebindMask(Floats(), hn::Ne(places_from(at), self)));
      if (end - at < k_lanes) near = hn::And(near, hn::FirstN(Floats(), static_cast<std::size_t>(end - at)));
      m.candidates.count =
          m.candidates.append(m.candidates.count, sq_dists, hn::LoadU(Unsigned(), s_.data.ids + at), near);
      if (m.candidates.count >= k_flush_size) flush(m);
    }
  }

  const NearestSearch<D>& s_;
  const Problem& p_;
  const std::int64_t size_, first_count_;
  std::int64_t count_ = 0;  // members of the team
  Member team_[k_team];
  FirstDistances<D> first_;
  BoxLevel<D> shared_boxes_;  // those of shared_buckets_[0 … shared_count_)
  std::array<std::int64_t, k_max_shared_buckets> shared_buckets_{};
  std::int64_t shared_count_ = 0;
};

template <int D>
struct ExactSearchIn {
  template <class List>
  using With = ExactSearch<D, List>;
};

template <int D>
void find_range(const NearestSearch<D>& s, std::int64_t begin, std::int64_t end) {
  search_in_teams<ExactSearchIn<D>::template With>(s, s.problem->list_size(), begin, end);
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
