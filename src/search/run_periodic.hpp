// SearchOptions::periodic: the nearest neighbours in a periodic box.
#pragma once

#include <optional>

#include "kann/index.hpp"
#include "kann/search.hpp"

namespace kann::detail {

/// The answer to options with a periodic box. Blocks.
/// @param index of the data; null: they are searched once
/// @param queries none: the data
/// @throws Error as kann::search() does.
SearchResult run_periodic(const PointsView& data, const Index* index, const std::optional<PointsView>& queries,
                          const IndexOptions& of_data, const SearchOptions& options);

}  // namespace kann::detail
