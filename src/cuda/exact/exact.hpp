// The exact method: data and queries along the Hilbert curve, boxes over the data, and the search through them.
#pragma once

#include "cuda/exact/data_indexes.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Writes the rows of all queries to context.ids and context.distances. Queues its work on context.stream and adds the
/// time of each step to context.steps; blocks where one step needs the outcome of another.
/// @param kept of the data; null: they are searched once
/// @throws Error resources (device memory), internal.
void run_exact(SearchContext& context, exact::DataIndexes* kept = nullptr);

/// The same with data that have an index and queries that are not the data, and blocks for nothing: queries in crowded
/// cells may take longer than with run_exact().
void queue_exact(SearchContext& context, exact::DataIndexes& kept);

namespace exact {

/// As run_exact(), in cells over the data. Returns false if that is not likely to be the fastest search, or has shown
/// not to be. Timed; blocks.
template <class Real>
bool search_even_data(SearchContext& context);

}  // namespace exact

}  // namespace kann::cuda
