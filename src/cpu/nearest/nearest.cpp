#include "cpu/nearest/nearest.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "cpu/nearest/filtered_search-inl.hpp"
#include "cpu/nearest/float64_search-inl.hpp"
#include "cpu/nearest/team_search-inl.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/query_team-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

struct NoTeamSearch {};

/// Searches teams by float32 first. Where that has lately left many queries undecided, as on a lattice, it searches
/// them by float64 at once. The answer is the same.
template <int D, bool k_is_exact, class List>
class ExactSearch {
 public:
  static constexpr std::int64_t k_team = k_nearest_team;

  explicit ExactSearch(const NearestSearch<D>& s) : s_(s), filtered_(s) {
    if constexpr (k_searches_teams) {
      if (s.rows.k == 1) {
        one_.emplace(s);
      } else if (s.problem->list_size() <= k_longest_in_teams) {
        many_.emplace(s);
      }
    }
    left_.reserve(k_team);
    undecided_.reserve(k_team);
  }

  /// Writes the rows of queries [begin, end), at most k_team of them.
  void run(std::int64_t begin, std::int64_t end) {
    if (unfiltered_teams_ > 0) {
      --unfiltered_teams_;
      decide(begin, end);
      return;
    }
    undecided_.clear();
    filter(begin, end);
    const auto count = static_cast<std::int64_t>(undecided_.size());
    if (count == 0) return;
    if (3 * count > end - begin) unfiltered_teams_ = k_unfiltered_teams;
    decide(undecided_.data(), count);
  }

 private:
  /// TeamSearch is tried for lists of up to so many neighbours, where float32 is not exact. Those that it leaves are
  /// few, so that one kind of list serves all sizes from 9 to 32.
  static constexpr int k_longest_in_teams = List::k_capacity == 32 ? 16 : 8;
  static constexpr bool k_searches_teams = (List::k_capacity == 8 || List::k_capacity == 32) && !k_is_exact;
  template <class Nearest>
  using Team = std::conditional_t<k_searches_teams, std::optional<TeamSearch<D, Nearest>>, NoTeamSearch>;

  /// Searches queries [begin, end) by float32; appends those that it does not decide to undecided_.
  HWY_INLINE void filter(std::int64_t begin, std::int64_t end) {
    if constexpr (k_searches_teams) {
      if (team_pause_ > 0) {
        --team_pause_;
      } else if (one_ || many_) {
        left_.clear();
        if constexpr (List::k_capacity == 8)  // longer lists are never those of one neighbour
          if (one_) one_->run(begin, end, left_);
        if (many_) many_->run(begin, end, left_);
        const auto count = static_cast<std::int64_t>(left_.size());
        if (3 * count > end - begin) team_pause_ = k_team_pause;
        if (4 * count <= end - begin) {  // if there are more, they are searched together
          for (const std::int64_t query : left_) filtered_.run(query, query + 1, undecided_);
          return;
        }
      }
    }
    filtered_.run(begin, end, undecided_);
  }

  /// Searches queries by float64.
  template <class... Queries>
  HWY_NOINLINE void decide(Queries... queries) {
    if constexpr (!k_is_exact) {
      if (s_.problem->is_rounded()) {
        if (!float64_of_doubles_) float64_of_doubles_.emplace(s_);
        return float64_of_doubles_->run(queries...);
      }
    }
    if (!float64_of_floats_) float64_of_floats_.emplace(s_);
    float64_of_floats_->run(queries...);
  }

  /// For so many teams, TeamSearch is not tried after it has left more than a third of one.
  static constexpr int k_team_pause = 7;

  /// So many teams are not filtered after more than a third of one was undecided. A float64 search takes about 1.5
  /// times as long.
  static constexpr int k_unfiltered_teams = 31;

  const NearestSearch<D>& s_;
  Team<NearestOne<k_nearest_team>> one_;
  Team<NearestMany<k_nearest_team, k_longest_in_teams>> many_;
  int team_pause_ = 0;
  std::vector<std::int64_t> left_;  // queries of a team that TeamSearch has left
  FilteredSearch<D, k_is_exact, List> filtered_;
  std::optional<Float64Search<D, float, List>> float64_of_floats_;
  std::optional<Float64Search<D, double, List>> float64_of_doubles_;
  std::vector<BoundedQuery> undecided_;
  int unfiltered_teams_ = 0;
};

using ListsOfVectors = ListKinds<RegisterList<8>, RegisterList<32>, BufferList<>>;
using ExactLists = std::conditional_t<k_lanes == 1, AllLists, ListsOfVectors>;

template <int D, bool k_is_exact>
struct ExactSearchIn {
  template <class List>
  using With = ExactSearch<D, k_is_exact, List>;
};

template <int D>
void find_range(const NearestSearch<D>& s, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = s.problem->list_size();
  if (s.exact_below > 0) {
    search_in_teams<ExactSearchIn<D, true>::template With>(ExactLists(), s, size, begin, end);
  } else {
    search_in_teams<ExactSearchIn<D, false>::template With>(ExactLists(), s, size, begin, end);
  }
}

template void find_range<2>(const NearestSearch<2>&, std::int64_t, std::int64_t);
template void find_range<3>(const NearestSearch<3>&, std::int64_t, std::int64_t);

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(template <int D> void find_range(const NearestSearch<D>&, std::int64_t, std::int64_t);)

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
