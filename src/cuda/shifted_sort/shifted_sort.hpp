// The fused shifted sort: data and queries are sorted separately, and one kernel searches several shifts.
#pragma once

#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/data_orders.hpp"

namespace kann::cuda {

/// Writes the rows of all queries to context.ids and context.distances. Queues its work on context.stream and adds the
/// time of each step to context.steps; blocks where one step needs the outcome of another.
/// @param kept orders of the data; null if the data are searched only once
/// @throws Error resources (device memory), internal.
void run_shifted_sort(SearchContext& context, DataOrders* kept = nullptr);

}  // namespace kann::cuda
