#include "cpu/select.hpp"

#include <algorithm>
#include <limits>

#include "cpu/names.hpp"
#include "cpu/vector/highway.hpp"
#define HWY_TARGET_INCLUDE "cpu/select.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/vector/near_bounds-inl.hpp"
#include "cpu/vector/neighbor_list-inl.hpp"
#include "cpu/vector/write_row-inl.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// What a query's list keeps: its neighbours, and enough to tell whether it stands off the data.
inline std::int64_t kept(const Problem& p) {
  return std::min(p.widens() ? std::max<std::int64_t>(p.k, k_far_neighbors) : p.k, p.data_count);
}

/// As many queries as a vector has lanes, step by step for all of them: no step waits for the one before.
template <int D, class List>
class Selector {
 public:
  explicit Selector(const Selection<D>& s)
      : s_(s), p_(*s.problem), size_(kept(p_)), tells_far_(p_.widens() && size_ >= k_far_neighbors) {
    for (Member& member : team_) member.list = List(size_);
  }

  /// Queries [begin, end), at most k_lanes of them.
  void run(std::int64_t begin, std::int64_t end) {
    count_ = end - begin;
    for (Member* m = team_; m != team_ + count_; ++m) start(*m, begin + (m - team_));
    const bool bounded = size_ > 0 && size_ <= k_max_bounded;
    if (bounded) find_bounds();
    for (std::size_t shift = 0; shift < s_.orders.size(); ++shift) {
      for (Member* m = team_; m != team_ + count_; ++m)
        m->window = window_around(s_.ranks[shift][m->query], p_.window, p_.data_count);
      if (shift == 0 && bounded && p_.window <= k_max_bound_candidates / 2) {
        offer_looked_at();
      } else if (shift == 0) {
        offer_windows<true>(s_.orders[0], false);
      } else {
        offer_windows<false>(s_.orders[shift], shift > 1);
      }
      for (Member* m = team_; m != team_ + count_; ++m) {
        settle(*m);
        if (shift == 0) m->far = tells_far_ && is_far(m->list.sq_dist(0), m->list.sq_dist(k_far_neighbors - 1));
        if (m->far) offer_far(*m, shift);
      }
    }
    for (Member* m = team_; m != team_ + count_; ++m) {
      HWY_ALIGN NeighborKey keys[List::k_capacity];
      write_row(m->list.write(keys), size_, s_.rows, s_.queries.ids[m->query]);
    }
  }

 private:
  static_assert(k_lanes <= k_select_team);
  /// Places looked at before any of them gets into the list.
  static constexpr std::int64_t k_at_once = 64;
  /// Places of the first window from which the first bound comes.
  static constexpr std::int64_t k_max_bound_candidates = 192;

  struct Member {
    List list{0};
    std::int64_t query = 0;
    std::int32_t self = -1;  // place of the query in the first order, where it is a data point to be dropped
    bool far = false;        // whether it stands off the data
    float bound = 0;         // no farther than this, a point may get in
    Window first{};          // offered by the first shift
    Window window{};         // offered now
    CandidateBuffer<k_at_once> candidates;
  };

  HWY_INLINE void start(Member& m, std::int64_t query) {
    fetch(std::min(query + k_lanes, s_.queries.count - 1));
    m.query = query;
    m.self = p_.drop_self ? static_cast<std::int32_t>(query) : -1;
    m.bound = std::numeric_limits<float>::max();
    m.first = window_around(s_.ranks[0][query], p_.window, p_.data_count);
    m.list.clear();
  }

  /// Brings the middle of a later query's windows near; what lies around it came with its neighbours.
  HWY_INLINE void fetch(std::int64_t query) const {
    fetch_row(s_.rows, s_.queries.ids[query]);
    for (std::size_t shift = 0; shift < s_.orders.size(); ++shift) {
      const std::uint32_t rank = s_.ranks[shift][query];
      for (int a = 0; a < D; ++a) __builtin_prefetch(s_.orders[shift].axes[a] + rank);
      __builtin_prefetch(s_.orders[shift].ids + rank);
    }
  }

  struct Query {
    hn::Vec<Floats> axes[D];
  };
  HWY_INLINE Query query_of(const Member& m) const {
    Query q;
    for (int a = 0; a < D; ++a) q.axes[a] = hn::Set(Floats(), s_.queries.axes[a][m.query]);
    return q;
  }

  static HWY_INLINE hn::Vec<Floats> sq_dists_of(const Query& query, const PlacedView<D>& points, std::int64_t at) {
    hn::Vec<Floats> differences[D];
    for (int a = 0; a < D; ++a) differences[a] = hn::Sub(query.axes[a], hn::LoadU(Floats(), points.axes[a] + at));
    return sum_of_squares(differences);
  }

  /// Bounds from the middle of the first windows, before anything is put into a list.
  HWY_INLINE void find_bounds() {
    constexpr std::int64_t step = std::max<std::int64_t>(k_lanes, 8);
    const std::int64_t length = team_[0].first.end - team_[0].first.begin;
    const std::int64_t looked_at = std::min(length, k_max_bound_candidates);
    filled_ = (looked_at + step - 1) / step * step;
    const auto none = hn::Set(Floats(), std::numeric_limits<float>::infinity());
    const PlacedView<D> points = s_.orders[0];
    for (Member* m = team_; m != team_ + count_; ++m) {
      const Query query = query_of(*m);
      const std::int64_t begin = m->first.begin + (length - looked_at) / 2;
      float* const row = sq_dists_ + (m - team_) * filled_;
      for (std::int64_t i = 0; i < filled_; i += k_lanes) {
        const auto places = places_from(i);
        const auto beyond = hn::Gt(places, hn::Set(Signed(), static_cast<std::int32_t>(looked_at - 1)));
        const auto self = hn::Eq(places, hn::Set(Signed(), m->self - static_cast<std::int32_t>(begin)));
        hn::Store(
            hn::IfThenElse(hn::RebindMask(Floats(), hn::Or(beyond, self)), none, sq_dists_of(query, points, begin + i)),
            Floats(), row + i);
      }
    }
    HWY_ALIGN float bounds[k_lanes];
    hn::Store(near_bounds(sq_dists_, filled_, filled_, size_), Floats(), bounds);
    for (int i = 0; i < k_lanes; ++i) team_[i].bound = bounds[i];
  }

  /// Offers all members their first windows, all of which the bounds came from.
  HWY_INLINE void offer_looked_at() {
    const std::uint32_t* const ids = s_.orders[0].ids;
    for (std::int64_t at = 0; at < filled_; at += k_at_once) {
      const std::int64_t some = std::min(k_at_once, filled_ - at);
      for (Member* m = team_; m != team_ + count_; ++m) {
        const float* const row = sq_dists_ + (m - team_) * filled_ + at;
        const auto bound = hn::Set(Floats(), m->bound);
        std::int64_t found = 0;
        for (std::int64_t i = 0; i < some; i += k_lanes) {
          const auto sq_dists = hn::Load(Floats(), row + i);
          found = m->candidates.append(found, sq_dists, hn::LoadU(Unsigned(), ids + m->first.begin + at + i),
                                       hn::Le(sq_dists, bound));
        }
        m->candidates.count = found;
      }
      for (Member* m = team_; m != team_ + count_; ++m) insert<true>(*m, false);
    }
  }

  /// Offers all members their windows, k_at_once places at a time.
  template <bool kFirst>
  HWY_INLINE void offer_windows(const PlacedView<D> points, bool may_repeat) {
    const std::int64_t length = team_[0].window.end - team_[0].window.begin;
    for (std::int64_t at = 0; at < length; at += k_at_once) {
      const std::int64_t some = std::min(k_at_once, length - at);
      for (Member* m = team_; m != team_ + count_; ++m) collect<kFirst>(*m, points, m->window.begin + at, some);
      for (Member* m = team_; m != team_ + count_; ++m) insert<kFirst>(*m, may_repeat);
    }
  }

  /// Keeps, of `count` places from `begin` on, those that may get into the list.
  template <bool kFirst>
  HWY_INLINE void collect(Member& m, const PlacedView<D> points, std::int64_t begin, std::int64_t count) {
    const Query query = query_of(m);
    const auto bound = hn::Set(Floats(), m.bound);
    const auto self = hn::Set(Signed(), m.self);
    const auto first = hn::Set(Unsigned(), static_cast<std::uint32_t>(m.first.begin));
    const auto last = hn::Set(Unsigned(), static_cast<std::uint32_t>(m.first.end - m.first.begin - 1));
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < count; i += k_lanes) {
      const auto sq_dists = sq_dists_of(query, points, begin + i);
      const auto ids = hn::LoadU(Unsigned(), points.ids + begin + i);
      auto in = hn::Le(sq_dists, bound);
      if constexpr (kFirst) {
        const auto places = places_from(begin + i);
        in = hn::And(in, hn::RebindMask(Floats(), hn::Ne(places, self)));
      } else {
        // Most of what is near enough was in the first window: told by its place there.
        in = hn::And(in, hn::RebindMask(Floats(), hn::Gt(hn::Sub(ids, first), last)));
        in = hn::And(in, hn::RebindMask(Floats(), hn::Ne(hn::BitCast(Signed(), ids), self)));
      }
      if (count - i < k_lanes) in = hn::And(in, hn::FirstN(Floats(), static_cast<std::size_t>(count - i)));
      found = m.candidates.append(found, sq_dists, ids, in);
    }
    m.candidates.count = found;
  }

  template <bool kFirst>
  HWY_INLINE void insert(Member& m, bool may_repeat) {
    m.list.insert(m.candidates, kFirst ? nullptr : s_.orders[0].ids, may_repeat);
    m.bound = std::min(m.bound, m.list.last_sq_dist());
  }

  HWY_INLINE void settle(Member& m) {
    m.list.settle();
    m.bound = std::min(m.bound, m.list.last_sq_dist());
  }

  /// Offers one query the far window of a shift.
  void offer_far(Member& m, std::size_t shift) {
    const Window far = window_around(s_.ranks[shift][m.query], p_.far_window, p_.data_count);
    if (shift == 0) {
      const Window narrow = m.first;
      m.first = far;
      offer_range<true>(m, shift, {far.begin, narrow.begin});
      offer_range<true>(m, shift, {narrow.end, far.end});
    } else {
      offer_range<false>(m, shift, far);
    }
    settle(m);
  }

  template <bool kFirst>
  void offer_range(Member& m, std::size_t shift, Window range) {
    for (std::int64_t at = range.begin; at < range.end; at += k_at_once) {
      collect<kFirst>(m, s_.orders[shift], at, std::min(k_at_once, range.end - at));
      insert<kFirst>(m, !kFirst);
    }
  }

  const Selection<D>& s_;
  const Problem& p_;
  const std::int64_t size_;
  const bool tells_far_;
  std::int64_t count_ = 0, filled_ = 0;
  Member team_[k_lanes];
  HWY_ALIGN float sq_dists_[k_lanes * k_max_bound_candidates] = {};  // a row of filled_ a member
};

template <int D, class List>
void select_with(const Selection<D>& s, std::int64_t begin, std::int64_t end) {
  Selector<D, List> selector(s);
  for (std::int64_t i = begin; i < end; i += k_lanes) selector.run(i, std::min<std::int64_t>(i + k_lanes, end));
}

template <int D>
void select_range(const Selection<D>& s, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = kept(*s.problem);
  if (size <= 8) return select_with<D, RegisterList<8>>(s, begin, end);
  if (size <= 32) return select_with<D, RegisterList<32>>(s, begin, end);
  select_with<D, BufferList>(s, begin, end);
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kann::cpu {

template <int D>
void select(const Selection<D>& selection, std::int64_t begin, std::int64_t end) {
  KANN_DISPATCH(select_range<D>)(selection, begin, end);
}

template void select<2>(const Selection<2>&, std::int64_t, std::int64_t);
template void select<3>(const Selection<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu
#endif
