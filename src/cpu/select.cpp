#include "cpu/select.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "cpu/vector/candidate_buffer-inl.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/lane_lists-inl.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/query_team-inl.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Finds the nearest of the candidates in the windows of a team of queries. Each step is done for all of them before
/// the next, so that no step waits for the one before.
template <int D, class List>
class WindowSearch {
 public:
  static constexpr std::int64_t k_team = k_lanes;
  static_assert(k_team <= k_select_team);

  explicit WindowSearch(const Selection<D>& s)
      : s_(s), p_(*s.problem), size_(p_.list_size()), lists_(size_), first_(k_team, k_bound_candidates) {}

  /// Writes the rows of queries [begin, end), at most k_team of them.
  void run(std::int64_t begin, std::int64_t end) {
    count_ = end - begin;
    lists_.clear();
    for (std::int64_t i = 0; i < count_; ++i) start(team_[i], begin + i);
    for (std::int64_t i = count_; i < k_team; ++i) candidates_[i].count = 0;
    const bool bounded = size_ > 0;
    if (bounded) find_first_bounds();
    for (std::size_t shift = 0; shift < s_.orders.size(); ++shift) {
      for (Member* m = team_; m != team_ + count_; ++m)
        m->window = window_around(s_.orders[shift].ranks[m->query], p_.window, p_.data_count);
      if (shift == 0 && bounded && p_.window <= k_bound_candidates / 2) {
        scan_first_distances();
      } else if (shift == 0) {
        scan_windows<true>(s_.orders[0], false);
      } else {
        scan_windows<false>(s_.orders[shift], shift > 1);
      }
      lists_.finish();
      lower_bounds();
    }
    lists_.write();
    for (std::int64_t i = 0; i < count_; ++i) {
      const Member& m = team_[i];
      const NeighborKey* keys = lists_.list(i);
      if (size_ > 0 && keys[size_ - 1] == k_none) keys = nearest_of_all(m);
      write_row(keys, size_, s_.rows, s_.queries.ids[m.query]);
    }
  }

 private:
  /// The number of places whose candidates are collected before any of them is put into the list.
  static constexpr std::int64_t k_scan_size = 64;
  /// The maximum number of places of the first window that the first bound comes from.
  static constexpr std::int64_t k_bound_candidates = 192;

  struct Member {
    std::int64_t query = 0;
    std::int32_t self = -1;  // place of the query in the first order if it is a data point to be dropped
    float bound = 0;         // a point farther than this cannot enter the list
    Window first{};          // in the first shift
    Window window{};         // in the current shift
  };

  /// The list of a query whose own list is not full. Candidates at an infinite float32 squared distance are missing
  /// from that, since a bound is at most the largest float32.
  const NeighborKey* nearest_of_all(const Member& m) {
    all_.clear();
    for (std::size_t shift = 0; shift < s_.orders.size(); ++shift) {
      const auto& [points, places, ranks] = s_.orders[shift];
      const Window window = window_around(ranks[m.query], p_.window, p_.data_count);
      for (std::int64_t at = window.begin; at < window.end; ++at) {
        const std::int64_t first_place = places ? std::int64_t{places[at]} : at;
        if (first_place == m.self) continue;
        all_.push_back(neighbor_key(sq_distance_to(m, points, at), points.ids[at]));
      }
    }
    std::ranges::sort(all_);
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    all_.resize(static_cast<std::size_t>(size_), k_none);
    return all_.data();
  }

  /// The squared distance to the point at a place.
  HWY_INLINE float sq_distance_to(const Member& m, const PlacedView<D>& points, std::int64_t at) const {
    float query[D], point[D];
    for (int a = 0; a < D; ++a) {
      query[a] = s_.queries.axes[a][m.query];
      point[a] = points.axes[a][at];
    }
    return sq_distance<D>(query, point);
  }

  HWY_INLINE std::int32_t own_place(std::int64_t query) const {
    return static_cast<std::int32_t>(s_.own_places ? s_.own_places[query] : query);
  }

  HWY_INLINE void start(Member& m, std::int64_t query) {
    prefetch_row(s_.rows, s_.queries.ids[std::min(query + k_team, s_.queries.count - 1)]);
    m.query = query;
    m.self = p_.drop_self ? own_place(query) : -1;
    m.bound = std::numeric_limits<float>::max();
    m.first = window_around(s_.orders[0].ranks[query], p_.window, p_.data_count);
  }

  /// Prefetches the middle of a window of the next team, for every second query. What lies around the middle, and the
  /// windows between, have been fetched already, for neighbouring queries. A window is prefetched while another is
  /// scanned, since the processor waits if it has too much to fetch at once.
  HWY_INLINE void prefetch_window(const SelectionOrder<D>& order, const Member& m) const {
    if (m.query % 2 != 0) return;
    const std::int64_t rank = order.ranks[std::min(m.query + k_team, s_.queries.count - 1)];
    prefetch_points(order.points, rank);
    if (order.places) __builtin_prefetch(order.places + rank);
  }

  /// Finds bounds from the middle of the first windows, before anything is put into a list.
  HWY_INLINE void find_first_bounds() {
    const std::int64_t length = team_[0].first.end - team_[0].first.begin;
    const std::int64_t scanned = std::min(length, k_bound_candidates);
    first_.resize(scanned);
    for (Member* m = team_; m != team_ + count_; ++m)
      first_.fill(m - team_, QueryVectors<D>(s_.queries, m->query).axes, s_.orders[0].points,
                  m->first.begin + (length - scanned) / 2, scanned, m->self);
    HWY_ALIGN float bounds[k_team];
    first_.find_bounds(k_team, size_, bounds);
    for (int i = 0; i < k_team; ++i) team_[i].bound = bounds[i];
  }

  /// Scans the first windows if find_first_bounds() has computed all of their distances.
  HWY_INLINE void scan_first_distances() {
    const std::uint32_t* const ids = s_.orders[0].points.ids;
    for (std::int64_t at = 0; at < first_.columns(); at += k_scan_size) {
      const std::int64_t some = std::min(k_scan_size, first_.columns() - at);
      for (Member* m = team_; m != team_ + count_; ++m) {
        prefetch_window(s_.orders[0], *m);
        const float* const row = first_.row(m - team_) + at;
        const auto bound = hn::Set(Floats(), m->bound);
        std::int64_t collected = 0;
        for (std::int64_t i = 0; i < some; i += k_lanes) {
          const auto sq_dists = hn::Load(Floats(), row + i);
          collected = candidates_[m - team_].append(
              collected, sq_dists, hn::LoadU(Unsigned(), ids + m->first.begin + at + i), hn::Le(sq_dists, bound));
        }
        candidates_[m - team_].count = collected;
      }
      flush(false);
    }
  }

  /// Scans the windows of a shift, k_scan_size places at a time.
  template <bool kFirst>
  HWY_INLINE void scan_windows(const SelectionOrder<D> order, bool may_repeat) {
    const std::int64_t length = team_[0].window.end - team_[0].window.begin;
    for (std::int64_t at = 0; at < length; at += k_scan_size) {
      const std::int64_t some = std::min(k_scan_size, length - at);
      for (Member* m = team_; m != team_ + count_; ++m) {
        prefetch_window(order, *m);
        collect<kFirst>(*m, order, m->window.begin + at, some, candidates_[m - team_]);
      }
      flush(may_repeat);
    }
  }

  /// Collects the points at `count` places from `begin` on that may enter the list.
  template <bool kFirst>
  HWY_INLINE void collect(Member& m, const SelectionOrder<D>& order, std::int64_t begin, std::int64_t count,
                          CandidateBuffer<k_scan_size>& candidates) {
    const QueryVectors<D> query(s_.queries, m.query);
    const auto bound = hn::Set(Floats(), m.bound);
    const bool drops_self = p_.drop_self;
    const auto self = hn::Set(Signed(), m.self);
    const auto first = hn::Set(Unsigned(), static_cast<std::uint32_t>(m.first.begin));
    const auto last = hn::Set(Unsigned(), static_cast<std::uint32_t>(m.first.end - m.first.begin - 1));
    std::int64_t collected = 0;
    for (std::int64_t i = 0; i < count; i += k_lanes) {
      const auto sq_dists = sq_distances(query.axes, order.points, begin + i);
      auto in = hn::Le(sq_dists, bound);
      if constexpr (kFirst) {
        const auto places = places_from(begin + i);
        if (drops_self) in = hn::And(in, hn::RebindMask(Floats(), hn::Ne(places, self)));
      } else {
        // Most points that are near enough were in the first window, as their places in the first order show
        const auto places = hn::LoadU(Unsigned(), order.places + begin + i);
        const auto fresh = hn::RebindMask(Floats(), hn::Gt(hn::Sub(places, first), last));
        in = hn::And(in, fresh);
        if (drops_self) in = hn::And(in, hn::RebindMask(Floats(), hn::Ne(hn::BitCast(Signed(), places), self)));
      }
      if (count - i < k_lanes) in = hn::And(in, hn::FirstN(Floats(), static_cast<std::size_t>(count - i)));
      collected = candidates.append(collected, sq_dists, hn::LoadU(Unsigned(), order.points.ids + begin + i), in);
    }
    candidates.count = collected;
  }

  HWY_INLINE void flush(bool may_repeat) {
    lists_.insert(candidates_, may_repeat);
    lower_bounds();
  }

  HWY_INLINE void lower_bounds() {
    lists_.last_sq_dists(last_sq_dists_);
    for (Member* m = team_; m != team_ + count_; ++m) m->bound = std::min(m->bound, last_sq_dists_[m - team_]);
  }

  const Selection<D>& s_;
  const Problem& p_;
  const std::int64_t size_;
  std::int64_t count_ = 0;  // members of the team
  Member team_[k_team];
  TeamLists<List> lists_;
  CandidateBuffer<k_scan_size> candidates_[k_team];
  HWY_ALIGN float last_sq_dists_[k_team];
  std::vector<NeighborKey> all_;  // the result of nearest_of_all()
  FirstDistances<D> first_;
};

template <int D>
struct WindowSearchIn {
  template <class List>
  using With = WindowSearch<D, List>;
};

#if HWY_TARGET == HWY_SCALAR
using WindowLists = AllLists;
#else
using WindowLists = ListKinds<RegisterList<8>, RegisterList<16>, RegisterList<32> >;
#endif

template <int D>
void select_range(const Selection<D>& s, std::int64_t begin, std::int64_t end) {
  search_in_teams<WindowSearchIn<D>::template With>(WindowLists(), s, s.problem->list_size(), begin, end);
}

template void select_range<2>(const Selection<2>&, std::int64_t, std::int64_t);
template void select_range<3>(const Selection<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(template <int D> void select_range(const Selection<D>&, std::int64_t, std::int64_t);)

template <int D>
void select(const Selection<D>& selection, std::int64_t begin, std::int64_t end) {
  KANN_DISPATCH(select_range<D>)(selection, begin, end);
}

template void select<2>(const Selection<2>&, std::int64_t, std::int64_t);
template void select<3>(const Selection<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu
#endif
