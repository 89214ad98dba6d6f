// The exact search for up to 16 neighbours of a team of queries, step by step for all of them. Compiled once per
// vector target: see vector/lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/nearest/final_row-inl.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/nearest/nearest_of_team-inl.hpp"
#include "cpu/nearest/query_bounds-inl.hpp"
#include "cpu/nearest/shared_buckets-inl.hpp"
#include "cpu/vector/query_team-inl.hpp"
#include "geometry/window.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Finds the same neighbours as FilteredSearch in simple cases: a team shares its buckets, the first bounds leave few
/// candidates, and float32 decides which of them are the neighbours. Other queries are left to FilteredSearch. Each
/// step is done for all queries before the next. So no step waits for the one before, and no loop ends after the number
/// of one query's buckets or candidates, which no processor can predict. (2¹⁹ uniform queries, one thread: `select` 99
/// → 62 ms; 2²⁰ with k = 16: 490 → 340.) `Nearest`: NearestMany, or NearestOne for rows of one neighbour.
template <int D, class Nearest>
class TeamSearch {
 public:
  explicit TeamSearch(const NearestSearch<D>& s)
      : s_(s),
        p_(*s.problem),
        size_(p_.list_size()),
        first_count_(first_bound_candidates(size_, p_.data_count)),
        first_(k_team, first_count_),
        final_(s) {}

  /// Writes the rows of those of queries [begin, end), at most k_nearest_team, that it can decide, and appends the
  /// other queries to `left`.
  HWY_INLINE void run(std::int64_t begin, std::int64_t end, std::vector<std::int64_t>& left) {
    begin_ = begin;
    count_ = end - begin;
    for (std::int64_t i = 0; i < k_team; ++i) start(i, begin + std::min(i, count_ - 1));
    find_first_bounds();
    const bool shares_buckets = shared_.find(*s_.boxes, team_bounds());
    for (std::int64_t i = 0; i < k_team; ++i)
      near_counts_[i] = i >= count_ ? 0 : shares_buckets ? list_near_shared(i) : list_near(i);
    list_pairs();
    collect();
    nearest_.select();
    find_places();
    if constexpr (Nearest::k_kept == 1) write_nearest();
    for (std::int64_t i = 0; i < count_; ++i) {
      if (!is_found(i)) {
        left.push_back(begin + i);
      } else if constexpr (Nearest::k_kept > 1) {
        final_.write_keys(begin_ + i, places_[i]);
      }
    }
  }

 private:
  static constexpr std::int64_t k_team = k_nearest_team;

  static constexpr int k_log2_group = std::bit_width(static_cast<std::uint64_t>(k_group)) - 1;
  /// The maximum number of buckets near a query. A code is the number of a bucket among them and, in its low bits, the
  /// number of a point in that bucket.
  static constexpr int k_log2_max_near = Nearest::k_code_bits - k_log2_group;
  static constexpr std::uint32_t k_max_near = 1 << k_log2_max_near;
  static constexpr auto k_too_many = static_cast<std::int32_t>(k_max_near);

  using List = RegisterList<Nearest::k_kept == 1 ? 8 : static_cast<int>(Nearest::k_kept)>;

  HWY_INLINE void start(std::int64_t i, std::int64_t query) {
    prefetch_query(s_, std::min(query + 2 * k_row_prefetch, s_.queries.count - 1));
    float largest = 0;
    for (int a = 0; a < D; ++a) {
      const float x = s_.queries.axes[a][query];
      axes_[a][i] = x;
      largest = std::max(largest, std::abs(x));
    }
    widened_[i] = Widening(p_, largest);
    self_[i] = p_.drop_self ? static_cast<std::int32_t>(s_.ranks[query]) : -1;
  }

  /// Sets the first bounds, which come from the points around the queries' ranks.
  HWY_INLINE void find_first_bounds() {
    const auto rank = [&](std::int64_t i) { return std::int64_t{s_.ranks[begin_ + std::min(i, count_ - 1)]}; };
    if constexpr (Nearest::k_kept == 1) {
      for (std::int64_t i = 0; i < k_team; ++i) bounds_[i] = least_around(i, rank(i));
    } else {
      for (std::int64_t i = 0; i < k_team; ++i) {
        const Window window = window_around(rank(i), first_count_ / 2, s_.data.count);
        first_.fill(i, query(i).lo, s_.data, window.begin, window.end - window.begin, self_[i]);
      }
      first_.find_bounds(k_team, size_, bounds_);
    }
    for (std::int64_t i = 0; i < k_team; ++i) {
      bounds_[i] = widened(i, bounds_[i]);
      if (!(bounds_[i] < std::numeric_limits<float>::max())) bounds_[i] = -1;  // nothing is near, and the query is left
    }
  }

  /// The least squared distance from a query to the 16 points around its rank; 48 points leave out no more buckets.
  HWY_INLINE float least_around(std::int64_t i, std::int64_t rank) const {
    const Window window = window_around(rank, 8, s_.data.count);
    const FilterBounds<D> own = query(i);
    auto least = hn::Set(Floats(), std::numeric_limits<float>::max());
    for (std::int64_t at = window.begin; at < window.end; at += k_lanes) {
      const auto sq_dists = sq_distances(own.lo, s_.data, at);
      const auto is_self = hn::RebindMask(Floats(), hn::Eq(places_from(at), hn::Set(Signed(), self_[i])));
      least = hn::IfThenElse(hn::AndNot(is_self, hn::Lt(sq_dists, least)), sq_dists, least);
    }
    return hn::GetLane(hn::MinOfLanes(Floats(), least));
  }

  HWY_INLINE float widened(std::int64_t i, float bound) const {
    return hn::GetLane(widened_[i](hn::Set(Floats(), bound)));
  }

  HWY_INLINE FilterBounds<D> query(std::int64_t i) const {
    FilterBounds<D> bounds;
    for (int a = 0; a < D; ++a) bounds.lo[a] = bounds.hi[a] = hn::Set(Floats(), axes_[a][i]);
    bounds.bound = hn::Set(Floats(), bounds_[i]);
    return bounds;
  }

  /// The bounds of a query anywhere in the box of the team.
  HWY_INLINE FilterBounds<D> team_bounds() const {
    const auto over_team = [](const float* of, auto both, auto all) HWY_ATTR {
      auto found = hn::Load(Floats(), of);
      for (std::int64_t i = k_lanes; i < k_team; i += k_lanes) found = both(found, hn::Load(Floats(), of + i));
      return all(found);
    };
    const auto both_min = [](auto v, auto w) HWY_ATTR { return hn::Min(v, w); };
    const auto both_max = [](auto v, auto w) HWY_ATTR { return hn::Max(v, w); };
    const auto all_min = [](auto v) HWY_ATTR { return hn::MinOfLanes(Floats(), v); };
    const auto all_max = [](auto v) HWY_ATTR { return hn::MaxOfLanes(Floats(), v); };
    FilterBounds<D> bounds;
    for (int a = 0; a < D; ++a) {
      bounds.lo[a] = over_team(axes_[a], both_min, all_min);
      bounds.hi[a] = over_team(axes_[a], both_max, all_max);
    }
    bounds.bound = over_team(bounds_, both_max, all_max);
    return bounds;
  }

  /// Lists the buckets near a query; returns how many there are, or k_max_near if there are that many or more.
  HWY_INLINE std::int32_t list_near_shared(std::int64_t i) {
    return shared_.list_near(query(i), near_ + i * k_max_near, static_cast<std::int32_t>(k_max_near));
  }
  HWY_INLINE std::int32_t list_near(std::int64_t i) {
    std::uint32_t found = 0;
    const bool has_all = for_each_near_group(*s_.boxes, query(i), [&](std::int64_t begin, std::uint32_t near) HWY_ATTR {
      write_set_bits(near, begin, near_ + i * k_max_near + found);
      found += static_cast<std::uint32_t>(std::popcount(near));
      return found < k_max_near;
    });
    return static_cast<std::int32_t>(has_all ? found : k_max_near);
  }

  /// Which of k_lanes queries from `first` on have more than `rank` buckets in near_. Queries with too many buckets are
  /// left to FilteredSearch, and not all of their places are written.
  HWY_INLINE hn::Mask<Signed> are_listed(std::int64_t first, std::int32_t rank = 0) const {
    const auto counts = hn::Load(Signed(), near_counts_ + first);
    return hn::And(hn::Gt(counts, hn::Set(Signed(), rank)), hn::Lt(counts, hn::Set(Signed(), k_too_many)));
  }

  /// Lists all pairs of a query and a bucket near it: the first of each query, then the second of each, so that no
  /// candidate has to wait for the number of those before it.
  HWY_INLINE void list_pairs() {
    std::int32_t most = 0;
    for (const std::int32_t count : near_counts_)
      if (count < k_too_many) most = std::max(most, count);
    pair_count_ = 0;
    for (std::int32_t rank = 0; rank < most; ++rank) {
      for (std::int64_t i = 0; i < k_team; i += k_lanes) {
        const auto has = are_listed(i, rank);
        const auto places = hn::Add(hn::ShiftLeft<k_log2_max_near>(places_from(i)), hn::Set(Signed(), rank));
        hn::StoreU(hn::Compress(hn::BitCast(Unsigned(), places), hn::RebindMask(Unsigned(), has)), Unsigned(),
                   pairs_ + pair_count_);
        pair_count_ += static_cast<std::int64_t>(hn::CountTrue(Signed(), has));
      }
    }
  }

  /// Collects the candidates of all queries. Points past the last are near nothing.
  HWY_INLINE void collect() {
    nearest_.clear();
    const PlacedView<D> data = s_.data;  // copies stay in registers, whatever is stored
    const bool drops_self = p_.drop_self;
    const std::int64_t pair_count = pair_count_;
    for (std::int64_t pair = 0; pair < pair_count; ++pair) {
      const std::uint32_t place = pairs_[pair], i = place / k_max_near;
      const std::int64_t begin = std::int64_t{near_[place]} * k_group;
      const std::uint32_t code = place * k_group & ((1u << Nearest::k_code_bits) - 1);
      hn::Vec<Floats> own[D];
      for (int a = 0; a < D; ++a) own[a] = hn::Set(Floats(), axes_[a][i]);
      for (std::int64_t part = 0; part < k_group; part += k_lanes) {
        const std::int64_t at = begin + part;
        const auto sq_dists = sq_distances(own, data, at);
        auto near = hn::Le(sq_dists, hn::Set(Floats(), bounds_[i]));
        if (drops_self) {
          const auto is_self = hn::Eq(places_from(at), hn::Set(Signed(), self_[i]));
          near = hn::AndNot(hn::RebindMask(Floats(), is_self), near);
        }
        nearest_.append(i, sq_dists, hn::BitCast(Unsigned(), places_from(code + part)), near);
      }
    }
  }

  /// Writes the places of the nearest candidates of every query, before any row is written: loading a vector that was
  /// stored in parts has to wait for all stores before, and stores into rows are slow.
  HWY_INLINE void find_places() {
    for (int j = 0; j < Nearest::k_kept; ++j)
      for (std::int64_t i = 0; i < k_team; i += k_lanes) {
        const auto codes = hn::BitCast(Signed(), nearest_.codes(j, i));
        const auto rows = hn::ShiftLeft<k_log2_max_near>(places_from(i));
        const auto* const near = reinterpret_cast<const std::int32_t*>(near_);
        const auto buckets = hn::GatherIndex(Signed(), near, hn::Add(rows, hn::ShiftRight<k_log2_group>(codes)));
        const auto in_bucket = hn::And(codes, hn::Set(Signed(), k_group - 1));
        auto found = hn::Add(hn::ShiftLeft<k_log2_group>(buckets), in_bucket);
        // write_nearest() reads the point of every query: of those without buckets, whose places in near_ mean nothing,
        // the first point
        if constexpr (Nearest::k_kept == 1) found = hn::IfThenElseZero(are_listed(i), found);
        HWY_ALIGN std::int32_t places[k_lanes];
        hn::Store(found, Signed(), places);
        for (int lane = 0; lane < k_lanes; ++lane) places_[i + lane][j] = static_cast<std::uint32_t>(places[lane]);
      }
  }

  /// Whether the neighbours of the i-th query are known. All points that are left out must be beyond the widened bound,
  /// as in FilteredSearch. The neighbours of queries without a finite bound are not known, either.
  HWY_INLINE bool is_found(std::int64_t i) const {
    const float bound = widened(i, nearest_.at_most(i, size_ - 1));
    return bounds_[i] >= 0 && near_counts_[i] < static_cast<std::int32_t>(k_max_near) && !nearest_.is_full(i) &&
           nearest_.at_least(i, size_) > bound;
  }

  /// Writes rows of one neighbour, a query per lane. Rows of queries that are left will be written again.
  HWY_INLINE void write_nearest() {
    for (std::int64_t i = 0; i < count_; i += k_key_lanes) {
      HWY_ALIGN std::int64_t places[k_key_lanes];
      for (int lane = 0; lane < k_key_lanes; ++lane) places[lane] = static_cast<std::int64_t>(places_[i + lane][0]);
      const std::int64_t query = begin_ + i, count = std::min<std::int64_t>(k_key_lanes, count_ - i);
      final_.write_nearest(query, count, hn::Load(Longs(), places));
    }
  }

  const NearestSearch<D>& s_;
  const Problem& p_;
  const std::int64_t size_, first_count_;
  std::int64_t begin_ = 0, count_ = 0;  // the queries; lanes that are left over repeat the last
  HWY_ALIGN float axes_[D][k_team];
  HWY_ALIGN float bounds_[k_team];
  std::int32_t self_[k_team];  // places of the queries if they are data points to be dropped
  Widening widened_[k_team];
  HWY_ALIGN std::int32_t near_counts_[k_team];
  std::uint32_t near_[k_team * k_max_near + k_group] = {};  // buckets near each query, in k_max_near places
  std::uint32_t pairs_[k_team * k_max_near + k_group];      // places of near_ that are in use
  std::int64_t pair_count_ = 0;
  HWY_ALIGN NeighborKey places_[k_team][Nearest::k_kept];  // places of the nearest, by rank
  Nearest nearest_;
  FirstDistances<D> first_;
  SharedBuckets<D, float> shared_;
  FinalRow<D, List, false> final_;
};

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
