// Park 2017, Steps 0 to 10, as published.
#pragma once

#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Writes the rows of all queries to context.ids and context.distances. Queues its work on context.stream and adds the
/// time of each step to context.steps; blocks where one step needs the outcome of another.
/// @throws Error resources (device memory), internal.
void run_paper(SearchContext& context);

}  // namespace kann::cuda
