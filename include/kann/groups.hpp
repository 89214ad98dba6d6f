// Neighbours by groups: only those of the query's own class, frame or batch, or only those of others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kann/points.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

namespace kann {

enum class GroupRule { same, other };

/// A label per point. Points with the same label are a group; those with a negative label belong to none: they have no
/// neighbours, and are none.
struct Groups {
  std::span<const std::int64_t> data;
  std::span<const std::int64_t> queries;  ///< empty, if the data are the queries
  GroupRule rule = GroupRule::same;       ///< of which group the neighbours of a query are
  /// With GroupRule::other, the set that each group is in, by its label, ascending: neighbours are of other groups of
  /// the query's own set. Empty: of all others.
  std::span<const std::int64_t> sets = {};
};

/// Does what search() does, but a row has the k nearest of the points that `groups` allow; without queries, what
/// search_self() does. The answer is exact. With GroupRule::same, there is a search for each group: small groups are
/// searched on the CPU, several at a time. With GroupRule::other, queries are searched in all data, for a few more
/// neighbours, then those without enough of other groups for eight times as many more, as long as that answers most.
/// For the rest, groups are halved again and again, and each half is searched in the other: that takes log₂(number of
/// groups) times as long as one search, at most. Groups in sets are only halved. Blocks.
/// @throws Error usage (options of the shifted sort, sets with GroupRule::same), bad_input (not a label per point, a
///         label without a set, sets that are not ascending), and as search().
SearchResult search_groups(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups,
                           const SearchOptions& options);

/// The same for search_radius(). @throws as search_radius() and search_groups().
RadiusResult search_radius_groups(const PointsView& data, const std::optional<PointsView>& queries,
                                  const Groups& groups, const SearchOptions& options);

/// The same for count_radius(). @throws as search_radius_groups().
RadiusResult count_radius_groups(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups,
                                 const SearchOptions& options);

}  // namespace kann
