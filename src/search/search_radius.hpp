// kann::search_radius() for a caller that says how many neighbours it can hold.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/index.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"

#include "search/run_search.hpp"

namespace kann::detail {

/// kann::search_radius(); without `queries`, kann::search_radius_self().
/// @param most_listed if there are more neighbours in all rows, the result has NeighborLists::begins alone; −1: they
///        are only counted
/// @param extent as for detail::search()
RadiusResult search_radius(const PointsView& data, const std::optional<PointsView>& queries,
                           const SearchOptions& options, std::int64_t most_listed,
                           const std::optional<geometry::Box>& extent = {});

/// The same for an index. @param own in a periodic box, the queries are data points, the first that with this number
RadiusResult search_radius(const Index& index, const std::optional<PointsView>& queries, const SearchOptions& options,
                           std::int64_t most_listed, std::optional<std::int64_t> own = {});

/// The same for the problem that `prepare` returns. @param index as in solve()
RadiusResult run_radius(const SearchOptions& options, KeptIndexes* index, const Prepare& prepare,
                        std::int64_t most_listed);

/// The options of such a search: those given, with what it needs. @throws Error usage.
SearchOptions radius_options(const SearchOptions& given);

/// Bytes of a neighbour: its id and its distance, once as a key while rows are found in any order, and once in its row.
inline constexpr double k_bytes_per_listed = 2 * (sizeof(std::int32_t) + sizeof(float));

/// How many neighbours memory holds.
std::int64_t most_in_memory();

/// As many, or all that `queries` can have among `points`, if these take so little memory that it is not checked.
std::int64_t most_in_memory(std::int64_t points, std::int64_t queries, const SearchOptions& options);

/// Says that so many do not fit. @throws Error resources, always.
[[noreturn]] void refuse_lists(std::int64_t neighbors, std::int64_t most);

/// The result, if it has all neighbours. @throws Error resources: there are more than `most`.
RadiusResult with_lists(RadiusResult result, std::int64_t most);

}  // namespace kann::detail
