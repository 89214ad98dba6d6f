#include "cpu/select.hpp"

#include "cpu/vectors.hpp"
#define HWY_TARGET_INCLUDE "cpu/select.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/neighbor_list.hpp"
#include "cpu/write_row.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

template <int D, class List>
class Selector {
 public:
  explicit Selector(const Selection<D>& s)
      : s_(s),
        p_(*s.problem),
        size_(p_.list_size()),
        list_(size_),
        far_list_(p_.widens() && size_ >= k_far_neighbors) {}

  void run(std::int64_t query) {
    fetch(std::min(query + k_ahead, s_.queries.count - 1));
    list_.clear();
    for (int a = 0; a < D; ++a) query_[a] = hn::Set(Floats(), s_.queries.axes[a][query]);
    self_ = p_.drop_self ? static_cast<std::int32_t>(query) : -1;
    first_ = window_around(s_.ranks[0][query], p_.window, p_.data_count);
    // The middle before the rest, since it is nearer: 16 insertions instead of 20 with k = 8 and 40 candidates.
    const std::int64_t centre = (first_.begin + first_.end) / 2;
    const Window middle{std::max(first_.begin, centre - 32), std::min(first_.end, centre + 32)};
    offer_first<true>(middle);
    offer_first({first_.begin, middle.begin});
    offer_first({middle.end, first_.end});
    if (stands_off()) {
      const Window narrow = first_;
      first_ = window_around(s_.ranks[0][query], p_.far_window, p_.data_count);
      offer_first({first_.begin, narrow.begin});
      offer_first({narrow.end, first_.end});
      list_.settle();
    }
    for (std::size_t shift = 1; shift < s_.orders.size(); ++shift) {
      offer_later(s_.orders[shift], window_around(s_.ranks[shift][query], p_.window, p_.data_count));
      if (!stands_off()) continue;
      offer_later(s_.orders[shift], window_around(s_.ranks[shift][query], p_.far_window, p_.data_count));
      list_.settle();
    }
    HWY_ALIGN NeighborKey keys[List::k_most];
    write_row(list_.write(keys), size_, s_.rows, s_.queries.ids[query]);
  }

 private:
  /// Brings the middle of a later query's windows near; what lies around it came with its neighbours.
  HWY_INLINE void fetch(std::int64_t query) const {
    fetch_row(s_.rows, s_.queries.ids[query]);
    for (std::size_t shift = 0; shift < s_.orders.size(); ++shift) {
      const std::uint32_t rank = s_.ranks[shift][query];
      for (int a = 0; a < D; ++a) __builtin_prefetch(s_.orders[shift].axes[a] + rank);
      __builtin_prefetch(s_.orders[shift].ids + rank);
    }
  }

  /// Puts the list in order and looks at it.
  HWY_INLINE bool stands_off() {
    list_.settle();
    if (!far_list_) return false;
    HWY_ALIGN NeighborKey keys[List::k_most];
    const NeighborKey* const list = list_.write(keys);
    return list[size_ - 1] != k_none && is_far(sq_dist_of(list[0]), sq_dist_of(list[size_ - 1]));
  }

  /// Places of the first order, none of which was offered before.
  template <bool kMiddleFirst = false>
  HWY_INLINE void offer_first(Window w) {
    const PlacedView<D>& points = s_.orders[0];
    const auto self = hn::Set(Signed(), self_);
    const auto other = [&](std::int64_t at)
                           HWY_ATTR { return hn::Ne(hn::Iota(Signed(), static_cast<std::int32_t>(at)), self); };
    each_near<kMiddleFirst>(points, w, other, [&](float sq_dist, std::int64_t place) HWY_ATTR {
      list_.insert(neighbor_key(sq_dist, points.ids[place]));
    });
  }

  /// Places of a later order. Most of what is near enough was in the first window: told by its place there.
  HWY_INLINE void offer_later(const PlacedView<D>& points, Window w) {
    const std::uint32_t* const ids = s_.orders[0].ids;
    const auto begin = hn::Set(Signed(), static_cast<std::int32_t>(first_.begin));
    const auto last = hn::Set(Signed(), static_cast<std::int32_t>(first_.end - 1));
    const auto self = hn::Set(Signed(), self_);
    const auto fresh = [&](std::int64_t at) HWY_ATTR {
      const auto places = hn::BitCast(Signed(), hn::LoadU(hn::RebindToUnsigned<Floats>(), points.ids + at));
      return hn::And(hn::Or(hn::Gt(begin, places), hn::Gt(places, last)), hn::Ne(places, self));
    };
    each_near<false>(points, w, fresh, [&](float sq_dist, std::int64_t place) HWY_ATTR {
      list_.insert_if_new(neighbor_key(sq_dist, ids[points.ids[place]]));
    });
  }

  /// Calls visit(d², place) for the places in the window that are wanted and no farther than the list's last. 64 places
  /// at a time are looked at before the first of them is inserted: one loop whose end is hard to predict, not one a
  /// vector.
  template <bool kMiddleFirst, class Wanted, class Visit>
  HWY_INLINE void each_near(const PlacedView<D>& points, Window w, Wanted wanted, Visit visit) {
    for (std::int64_t begin = w.begin; begin < w.end; begin += 64) {
      const std::int64_t count = std::min<std::int64_t>(64, w.end - begin);
      const auto bound = list_.bound();
      HWY_ALIGN float sq_dists[64 + k_bucket];
      std::uint64_t near = 0;
      for (std::int64_t i = 0; i < count; i += k_lanes) {
        hn::Vec<Floats> differences[D];
        for (int a = 0; a < D; ++a)
          differences[a] = hn::Sub(query_[a], hn::LoadU(Floats(), points.axes[a] + begin + i));
        const auto some = sum_of_squares(differences);
        hn::Store(some, Floats(), sq_dists + i);
        const auto in = hn::And(hn::Le(some, bound), hn::RebindMask(Floats(), wanted(begin + i)));
        near |= static_cast<std::uint64_t>(lanes_of(Floats(), in)) << i;
      }
      if (count < 64) near &= (std::uint64_t{1} << count) - 1;
      const auto visit_all = [&](std::uint64_t some) HWY_ATTR {
        for (; some != 0; some &= some - 1) {
          const int i = std::countr_zero(some);
          visit(sq_dists[i], begin + i);
        }
      };
      if constexpr (kMiddleFirst) {
        const std::uint64_t middle = std::uint64_t{0xffff} << std::max<std::int64_t>(0, count / 2 - 8);
        visit_all(near & middle);
        std::uint64_t nearer = 0;
        const auto nearer_bound = list_.bound();
        for (std::int64_t i = 0; i < count; i += k_lanes) {
          const auto in = hn::Le(hn::Load(Floats(), sq_dists + i), nearer_bound);
          nearer |= static_cast<std::uint64_t>(lanes_of(Floats(), in)) << i;
        }
        near &= nearer & ~middle;
      }
      visit_all(near);
    }
  }

  using Signed = hn::RebindToSigned<Floats>;

  const Selection<D>& s_;
  const Problem& p_;
  const std::int64_t size_;
  List list_;
  const bool far_list_;
  hn::Vec<Floats> query_[D];
  std::int32_t self_ = -1;  // place of the query in the first order, where it is a data point to be dropped
  Window first_{};          // offered by the first shift
};

template <int D, class List>
void select_with(const Selection<D>& s, std::int64_t begin, std::int64_t end) {
  Selector<D, List> selector(s);
  for (std::int64_t i = begin; i < end; ++i) selector.run(i);
}

template <int D>
void select_range(const Selection<D>& s, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = s.problem->list_size();
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
  KANN_AT_LEVEL(select_range<D>)(selection, begin, end);
}

template void select<2>(const Selection<2>&, std::int64_t, std::int64_t);
template void select<3>(const Selection<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu
#endif
