// The shifted sort (Chan 1997; Li et al. 2012, Algorithm 1; Park 2017), with fused steps: data and queries are sorted
// separately, and one kernel searches the windows of several shifts.
#pragma once

#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/shift_orders.hpp"

namespace kann::cuda {

/// Writes the rows of all queries to context.ids and context.distances. Queues its work on context.stream and adds the
/// time of each step to context.steps; blocks where one step needs the outcome of another.
/// @param kept orders of the data; null if the data are searched only once
/// @throws Error resources (device memory), internal.
void run_shifted_sort(SearchContext& context, DataOrders* kept = nullptr);

}  // namespace kann::cuda
