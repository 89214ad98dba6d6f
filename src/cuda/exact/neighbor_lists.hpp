// The lists of all neighbours within a radius, in the memory of the host or of the device.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/radius.hpp"

#include "cuda/exact/search.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// Finds the neighbours within Problem::list_radius of the queries of `search`, whose rows are numbered from 0 to
/// query_count − 1: NeighborLists::begins alone, if there are more than Problem::most_listed. Rows that do not fit in
/// the device's memory together are found some after others. Timed. Blocks.
/// @param most_at_once neighbours that are found together, unless a row has more; default: as many as fit
template <class Real>
NeighborLists neighbor_lists(SearchContext& context, const Search<Real>& search,
                             std::optional<std::int64_t> most_at_once = {});

/// Queues the search for the neighbours within Problem::list_radius of the queries of `search`, whose rows are numbered
/// from 0 to query_count − 1. Allocates 16 bytes per neighbour of `lists`.
template <class Real>
void queue_lists(SearchContext& context, const Search<Real>& search, const ListsOnDevice& lists);

}  // namespace kann::cuda::exact
