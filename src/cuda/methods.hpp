// The methods of the CUDA backend, and which of them solves a problem.
#pragma once

#include "cuda/runtime/search_context.hpp"

namespace kann::cuda {

/// Each writes the rows of all queries to context.ids and context.distances. Queues its work on context.stream and adds
/// the time of each step to context.steps; blocks where one step needs the outcome of another.
/// @throws Error resources (device memory), internal.
void run_shifted_sort(SearchContext& context);  ///< fused: shifted_sort/
void run_exact(SearchContext& context);         ///< exact/
void run_paper(SearchContext& context);         ///< Park 2017 as published: paper/

/// The one that the problem asks for.
inline void run_method(SearchContext& context) {
  const Problem& p = context.problem;
  if (p.query_count == 0) return;
  if (p.method == Method::exact) return run_exact(context);
  p.pipeline == Pipeline::paper ? run_paper(context) : run_shifted_sort(context);
}

}  // namespace kann::cuda
