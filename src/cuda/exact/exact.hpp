// The exact method: a search in cells over the data, or along the Hilbert curve through boxes over the data.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/exact/data_indexes.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Writes the rows of all queries to context.ids and context.distances. Queues its work on context.stream and adds the
/// time of each step to context.steps; blocks where one step needs the outcome of another.
/// @param kept indexes of the data; null if the data are searched only once
/// @throws Error resources (device memory), internal.
void run_exact(SearchContext& context, exact::DataIndexes* kept = nullptr);

/// As run_exact(), for data that have an index, but blocks only until that is made. So it takes no sample of the
/// queries, and may take longer where these are spread in another way than the data.
/// @param groups of queries that are not the data, if these are in groups
void queue_exact(SearchContext& context, exact::DataIndexes& kept, const std::optional<DeviceGroups>& groups = {});

namespace exact {

/// The longest list that is searched for in cells.
inline constexpr std::int64_t k_max_cell_list = 64;

/// As run_exact(), in cells over the data. Returns false if a search in cells is unlikely to be the fastest, or has
/// turned out not to be. Timed; blocks.
template <class Real>
bool search_even_data(SearchContext& context, DataIndexes* kept);

/// The same as queue_exact().
template <class Real>
bool queue_even_data(SearchContext& context, DataIndexes& kept);

}  // namespace exact

}  // namespace kann::cuda
