// The shifted sort, fused: data and queries are sorted apart, and one kernel searches several shifts.
#pragma once

#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/data_orders.hpp"

namespace kann::cuda {

/// Writes the rows of all queries to context.ids and context.distances. Queues its work on context.stream and adds the
/// time of each step to context.steps; blocks where one step needs the outcome of another.
/// @param kept of the data; null: they are searched once
/// @throws Error resources (device memory), internal.
void run_shifted_sort(SearchContext& context, DataOrders* kept = nullptr);

}  // namespace kann::cuda
