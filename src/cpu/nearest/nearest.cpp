#include "cpu/nearest/nearest.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"
#define HWY_TARGET_INCLUDE "cpu/nearest/nearest.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/nearest/filtered_search-inl.hpp"
#include "cpu/nearest/float64_search-inl.hpp"
#include "cpu/nearest/team_search-inl.hpp"
#include "cpu/vector/query_team-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// Searches teams by float32 first; or, where that has lately left many queries undecided, as on a lattice, by float64
/// at once. The answer is the same.
template <int D, class Filter, class List>
class ExactSearch {
 public:
  static constexpr std::int64_t k_team = k_nearest_team;

  explicit ExactSearch(const NearestSearch<D>& s) : s_(s), team_(s), filtered_(s) {
    left_.reserve(k_team);
    undecided_.reserve(k_team);
  }

  /// Queries [begin, end), at most k_team of them.
  void run(std::int64_t begin, std::int64_t end) {
    if (unfiltered_teams_ > 0) {
      --unfiltered_teams_;
      float64_->run(begin, end);
      return;
    }
    undecided_.clear();
    filter(begin, end);
    const auto count = static_cast<std::int64_t>(undecided_.size());
    if (count == 0) return;
    if (3 * count > end - begin) unfiltered_teams_ = k_unfiltered_teams;
    if (!float64_) float64_.emplace(s_);
    float64_->run(undecided_.data(), count);
  }

 private:
  /// Whether lists are short enough for TeamSearch, and not of keys that are exact.
  static constexpr bool k_searches_teams = List::k_capacity == 8 && !std::is_same_v<Filter, ExactFloat32>;
  struct NoTeamSearch {
    explicit NoTeamSearch(const NearestSearch<D>&) {}
  };

  /// Queries [begin, end) by float32.
  HWY_INLINE void filter(std::int64_t begin, std::int64_t end) {
    if constexpr (k_searches_teams) {
      if (team_pause_ == 0) {
        left_.clear();
        team_.run(begin, end, left_);
        const auto count = static_cast<std::int64_t>(left_.size());
        if (3 * count > end - begin) team_pause_ = k_team_pause;
        if (4 * count <= end - begin) {  // else they share what they need
          for (const std::int64_t query : left_) filtered_.run(query, query + 1, undecided_);
          return;
        }
      } else {
        --team_pause_;
      }
    }
    filtered_.run(begin, end, undecided_);
  }

  /// Teams for which TeamSearch is not tried where it left a third of one.
  static constexpr int k_team_pause = 7;

  /// Teams that are not filtered where a third of one was undecided. A float64 search takes about 1.5 times as long.
  static constexpr int k_unfiltered_teams = 31;

  const NearestSearch<D>& s_;
  std::conditional_t<k_searches_teams, TeamSearch<D, Filter>, NoTeamSearch> team_;
  int team_pause_ = 0;
  std::vector<std::int64_t> left_;  // queries of a team that it left
  FilteredSearch<D, Filter, List> filtered_;
  std::optional<Float64Search<D, typename Filter::Real, List>> float64_;  // few chunks of queries need it
  std::vector<BoundedQuery> undecided_;
  int unfiltered_teams_ = 0;
};

template <int D, class Filter>
struct ExactSearchIn {
  template <class List>
  using With = ExactSearch<D, Filter, List>;
};

template <int D>
void find_range(const NearestSearch<D>& s, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = s.problem->list_size();
  if (s.problem->is_rounded()) {
    search_in_teams<ExactSearchIn<D, FrameWidening>::template With>(s, size, begin, end);
  } else if (s.exact_below > 0) {
    search_in_teams<ExactSearchIn<D, ExactFloat32>::template With>(s, size, begin, end);
  } else {
    search_in_teams<ExactSearchIn<D, GivenWidening>::template With>(s, size, begin, end);
  }
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kann::cpu {

template <int D>
void find_nearest(const NearestSearch<D>& search, std::int64_t begin, std::int64_t end) {
  if (search.problem->list_size() == 0) {  // no data
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = search.queries.ids[i] * search.rows.k;
      std::fill_n(search.rows.ids + first, search.rows.k, -1);
      std::fill_n(search.rows.distances + first, search.rows.k, std::numeric_limits<float>::infinity());
    }
    return;
  }
  KANN_DISPATCH(find_range<D>)(search, begin, end);
}

template void find_nearest<2>(const NearestSearch<2>&, std::int64_t, std::int64_t);
template void find_nearest<3>(const NearestSearch<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu
#endif
