#include "cpu/nearest/within.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/nearest/box_descent-inl.hpp"
#include "cpu/nearest/exact_points-inl.hpp"
#include "cpu/nearest/query_bounds-inl.hpp"
#include "cpu/nearest/rounded_roots-inl.hpp"
#include "cpu/nearest/shared_buckets-inl.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/query_team-inl.hpp"
#include "geometry/filter.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

void sort_keys(std::uint64_t* keys, std::size_t count);  // cpu/vector/sort_keys.cpp

/// Searches teams of queries, so that the buckets near any of them are found once. Float32 leaves out what its error
/// bound proves to be farther than the radius; float64 measures the others, and decides.
template <int D>
class RadiusTeam {
 public:
  explicit RadiusTeam(const RadiusSearch<D>& s)
      : s_(s), p_(*s.in.problem), sq_radius_(s.within.sq_bound()), places_(k_first_places) {}

  /// Queries from `begin` on, at most k_nearest_team of them; returns where it has ended, as find_within() does.
  HWY_NOINLINE std::int64_t run(std::int64_t begin, std::int64_t end, std::int32_t* counts, FoundKeys* found) {
    const std::int64_t size = end - begin;
    for (std::int64_t i = 0; i < size; ++i) start(team_[i], begin + i);
    // Without a bound, as where R² is past float32, boxes that only fill up a group would be within it, too
    const auto is_bounded = [](const Member& m) HWY_ATTR {
      return hn::GetLane(m.bounds.bound) < std::numeric_limits<float>::infinity();
    };
    const bool shares_buckets =
        std::all_of(team_, team_ + size, is_bounded) && shared_.find(*s_.in.boxes, team_bounds(team_, size));
    for (const Member* m = team_; m != team_ + size; ++m) {
      candidates_ = sure_ = 0;
      const auto visit = [&](std::int64_t bucket) HWY_ATTR {
        scan(*m, bucket, found != nullptr);
        return true;
      };
      if (!is_bounded(*m)) {
        for (std::int64_t bucket = 0; bucket < s_.in.boxes->front().count; ++bucket) visit(bucket);
      } else if (shares_buckets) {
        shared_.for_each_near(m->bounds, visit);
      } else if (found) {
        descend_nearest_first(*s_.in.boxes, m->bounds, visit);
      } else {
        count_in_boxes(*m, s_.in.boxes->size() - 1, 0);
      }
      const std::int64_t count = found ? keep(m->query, *found) : sure_ + decide(m->query, nullptr);
      counts[s_.in.queries.ids[m->query]] = static_cast<std::int32_t>(count);
      if (found && found->count > k_many_keys) return m->query + 1;
    }
    return end;
  }

 private:
  static_assert(k_group == 1 << 4);
  static constexpr std::int64_t k_first_places = 1024;
  static constexpr std::int64_t k_past = k_group + k_lanes;  // what vectors write past the last place or key

  struct Member {
    FilterBounds<D> bounds;  // points beyond them are beyond the radius
    float sure = -1;         // points up to this float32 squared distance are within the radius
    std::int64_t query = 0;
    std::int64_t self = -1;  // place of the query if it is a data point to be dropped
  };

  HWY_INLINE void start(Member& m, std::int64_t query) {
    prefetch_query(s_.in, std::min(query + 2 * k_nearest_team, s_.in.queries.count - 1));
    m.query = query;
    m.self = p_.drop_self ? s_.in.ranks[query] : -1;
    float largest = 0;
    for (int a = 0; a < D; ++a) {
      const float x = s_.in.queries.axes[a][query];
      m.bounds.lo[a] = m.bounds.hi[a] = hn::Set(Floats(), x);
      largest = std::max(largest, std::abs(x));
    }
    if (p_.is_rounded()) {
      set_bounds(m, FrameFilter(largest, p_.unit));
    } else {
      set_bounds(m, GivenFilter());
    }
  }

  template <class Filter>
  HWY_INLINE void set_bounds(Member& m, const Filter& filter) const {
    m.bounds.bound = hn::Set(Floats(), filter.above(sq_radius_));
    m.sure = s_.within.is_scaled() ? -1 : sure_below(filter, sq_radius_, p_.unit);
  }

  /// Counts as scan() does, but a box that is within the radius as a whole is not looked into, so that billions of
  /// neighbours are counted in seconds: in the k_group boxes of a level from `begin` on.
  void count_in_boxes(const Member& m, std::size_t level, std::int64_t begin) {
    const BoxLevel<D>& boxes = (*s_.in.boxes)[level];
    const std::uint32_t near = m.bounds.near(boxes, begin), sure = near & whole_boxes(m, boxes, begin);
    for (std::uint32_t bits = near; bits != 0; bits &= bits - 1) {
      const int i = std::countr_zero(bits);
      if (sure >> i & 1) {
        add_points_of_box(m, level, begin + i);
      } else if (level == 0) {
        scan(m, begin + i, false);
      } else {
        count_in_boxes(m, level - 1, (begin + i) * k_group);
      }
    }
  }

  /// Which of k_group boxes are as a whole at most as far as float32 is sure of. The distance to the farthest corner is
  /// computed by the chain of sq_distance(), which is monotone, so that no point of the box is farther.
  HWY_INLINE std::uint32_t whole_boxes(const Member& m, const BoxLevel<D>& boxes, std::int64_t begin) const {
    std::uint32_t all = 0;
    for (int part = 0; part < k_group; part += k_lanes) {
      hn::Vec<Floats> reaches[D];
      for (int a = 0; a < D; ++a) {
        const auto lo = hn::LoadU(Floats(), boxes.lo[a].data() + begin + part);
        const auto hi = hn::LoadU(Floats(), boxes.hi[a].data() + begin + part);
        reaches[a] = hn::Max(hn::Abs(hn::Sub(m.bounds.lo[a], lo)), hn::Abs(hn::Sub(m.bounds.lo[a], hi)));
      }
      all |= lanes_of(Floats(), hn::Le(sum_of_squares(reaches), hn::Set(Floats(), m.sure))) << part;
    }
    return all;
  }

  HWY_INLINE void add_points_of_box(const Member& m, std::size_t level, std::int64_t box) {
    const std::int64_t points = k_group << (4 * level), begin = box * points;
    const std::int64_t end = std::min(begin + points, s_.in.data.count);
    sure_ += end - begin - (m.self >= begin && m.self < end ? 1 : 0);
  }

  /// Collects the places of candidates: all of them, or those of which float32 does not know that they are within the
  /// radius, and counts the others.
  HWY_INLINE void scan(const Member& m, std::int64_t bucket, bool keeps_all) {
    if (candidates_ + k_past > std::ssize(places_)) places_.resize(2 * places_.size());
    const std::int64_t begin = bucket * k_group, end = std::min(begin + k_group, s_.in.data.count);
    const auto self = hn::Set(Signed(), static_cast<std::int32_t>(m.self));
    const auto sure = hn::Set(Floats(), keeps_all ? -1.0f : m.sure);
    for (std::int64_t at = begin; at < end; at += k_lanes) {
      const auto sq_dists = sq_distances(m.bounds.lo, s_.in.data, at);
      const auto places = places_from(at);
      auto near = hn::Le(sq_dists, m.bounds.bound);
      if (p_.drop_self) near = hn::And(near, hn::RebindMask(Floats(), hn::Ne(places, self)));
      if (end - at < k_lanes) near = hn::And(near, hn::FirstN(Floats(), static_cast<std::size_t>(end - at)));
      if (!keeps_all) {
        const auto is_sure = hn::And(near, hn::Le(sq_dists, sure));
        sure_ += static_cast<std::int64_t>(hn::CountTrue(Floats(), is_sure));
        near = hn::AndNot(is_sure, near);
      }
      hn::StoreU(hn::Compress(hn::BitCast(Unsigned(), places), hn::RebindMask(Unsigned(), near)), Unsigned(),
                 &places_[candidates_]);
      candidates_ += static_cast<std::int64_t>(hn::CountTrue(Floats(), near));
    }
  }

  /// Counts the candidates within the radius, by float64; writes their keys, in any order, unless `keys` is null.
  HWY_INLINE std::int64_t decide(std::int64_t query, std::uint64_t* keys) {
    std::int64_t count = 0;
    if (candidates_ == 0) return count;
    const ExactPoints<D> points(s_.in, query);
    const auto radius = hn::Set(Doubles(), sq_radius_);
    for (std::int64_t i = 0; i < candidates_; i += k_key_lanes) {
      const auto present = hn::FirstN(Doubles(), static_cast<std::size_t>(candidates_ - i));
      const auto places = hn::IfThenElseZero(hn::RebindMask(Longs(), present), load_longs(&places_[i]));
      const auto sq_dists = points.sq_distances(places);
      auto near = hn::And(present, hn::Le(sq_dists, radius));
      if (s_.within.is_scaled()) near = hn::And(near, within_by_definition(query, i, present));
      if (keys)
        hn::StoreU(hn::Compress(keys_of(sq_dists, points.ids(places)), hn::RebindMask(Longs(), near)), Longs(),
                   reinterpret_cast<std::int64_t*>(keys + count));
      count += static_cast<std::int64_t>(hn::CountTrue(Doubles(), near));
    }
    return count;
  }

  static HWY_INLINE hn::Vec<Longs> keys_of(hn::Vec<Doubles> sq_dists, hn::Vec<HalfSigned> ids) {
    const auto distances = hn::BitCast(HalfSigned(), rounded_roots(sq_dists));
    return hn::Or(hn::ShiftLeft<32>(hn::PromoteTo(Longs(), distances)), hn::PromoteTo(Longs(), ids));
  }

  /// Which of the candidates from the i-th on WithinRadius takes, for radii whose squares underflow.
  HWY_NOINLINE hn::Mask<Doubles> within_by_definition(std::int64_t query, std::int64_t i, hn::Mask<Doubles> present) {
    return p_.is_rounded() ? within_by_definition<double>(query, i, present)
                           : within_by_definition<float>(query, i, present);
  }
  template <class Real>
  hn::Mask<Doubles> within_by_definition(std::int64_t query, std::int64_t i, hn::Mask<Doubles> present) {
    const auto point = s_.in.template exact_query<Real>(query);
    const auto& data = s_.in.template exact_data<Real>();
    HWY_ALIGN double is_within[k_key_lanes];
    for (int lane = 0; lane < k_key_lanes; ++lane) {
      const std::uint32_t place = (lanes_of(Doubles(), present) >> lane & 1) ? places_[i + lane] : 0;
      std::array<double, 3> difference{};
      for (int a = 0; a < D; ++a) difference[a] = point[a] - static_cast<double>(data.axes[a][place]);
      is_within[lane] = s_.within(difference);
    }
    return hn::Gt(hn::Load(Doubles(), is_within), hn::Zero(Doubles()));
  }

  /// Appends the keys of the candidates within the radius, ascending.
  HWY_INLINE std::int64_t keep(std::int64_t query, FoundKeys& found) {
    const std::int64_t needed = found.count + candidates_ + k_past;
    if (needed > std::ssize(found.keys)) found.keys.resize(static_cast<std::size_t>(2 * needed));
    std::uint64_t* const keys = found.keys.data() + found.count;
    const std::int64_t count = decide(query, keys);
    sort(keys, count);
    found.count += count;
    return count;
  }

  static HWY_INLINE void sort(std::uint64_t* keys, std::int64_t count) {
    if (count > 1) sort_keys(keys, static_cast<std::size_t>(count));
  }

  const RadiusSearch<D>& s_;
  const Problem& p_;
  const double sq_radius_;
  Member team_[k_nearest_team];
  SharedBuckets<D, float> shared_;
  std::vector<std::uint32_t> places_;  // of the candidates of the current member
  std::int64_t candidates_ = 0, sure_ = 0;
};

template <int D>
std::int64_t find_within(const RadiusSearch<D>& s, std::int64_t begin, std::int64_t end, std::int32_t* counts,
                         FoundKeys* found) {
  RadiusTeam<D> team(s);
  while (begin < end && !(found && found->count > k_many_keys))
    begin = team.run(begin, std::min<std::int64_t>(begin + k_nearest_team, end), counts, found);
  return begin;
}

template std::int64_t find_within<2>(const RadiusSearch<2>&, std::int64_t, std::int64_t, std::int32_t*, FoundKeys*);
template std::int64_t find_within<3>(const RadiusSearch<3>&, std::int64_t, std::int64_t, std::int32_t*, FoundKeys*);

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(template <int D> std::int64_t find_within(const RadiusSearch<D>&, std::int64_t, std::int64_t,
                                                              std::int32_t*, FoundKeys*);)

template <int D>
std::int64_t find_within(const RadiusSearch<D>& search, std::int64_t begin, std::int64_t end, std::int32_t* counts,
                         FoundKeys* found) {
  return KANN_DISPATCH(find_within<D>)(search, begin, end, counts, found);
}

template std::int64_t find_within<2>(const RadiusSearch<2>&, std::int64_t, std::int64_t, std::int32_t*, FoundKeys*);
template std::int64_t find_within<3>(const RadiusSearch<3>&, std::int64_t, std::int64_t, std::int32_t*, FoundKeys*);

}  // namespace kann::cpu
#endif
