// SearchOptions::sky and SearchOptions::periodic: what is found on the sphere and in a periodic box.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/index.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "search/periodic/placed_data.hpp"

namespace kann::detail {

/// Whether the options search the points elsewhere than they are given.
inline bool are_placed(const SearchOptions& options) { return options.sky || !options.periodic.empty(); }

/// The answer to such options. Blocks.
/// @param index the index of the data; none if the data are searched only once
/// @param queries none: the data are the queries @param extent as for PlacedData
/// @throws Error as kann::search() does.
SearchResult run_placed(const PointsView& data, const std::optional<AskedIndex>& index,
                        const std::optional<PointsView>& queries, const IndexOptions& of_data,
                        const SearchOptions& options, const std::optional<geometry::Box>& extent = {});

/// The same for rows of all neighbours within the radius. @param most_listed, own as search_radius() says
RadiusResult run_placed_lists(const PointsView& data, const std::optional<AskedIndex>& index,
                              const std::optional<PointsView>& queries, const IndexOptions& of_data,
                              const SearchOptions& options, std::int64_t most_listed,
                              const std::optional<geometry::Box>& extent = {}, std::optional<std::int64_t> own = {});

}  // namespace kann::detail
