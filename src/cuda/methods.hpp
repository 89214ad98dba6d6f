// Which method solves a problem on a device.
#pragma once

#include "cuda/exact/exact.hpp"
#include "cuda/exact/refine.hpp"
#include "cuda/paper/paper.hpp"
#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/shifted_sort.hpp"

namespace kann::cuda {

/// Runs the method that the problem of the context asks for. `kept` are orders of the data; it is null if the data are
/// searched only once.
inline void run_method(SearchContext& context, DataOrders* kept = nullptr) {
  const Problem& p = context.problem;
  if (p.query_count == 0) return;
  exact::DataIndexes* const indexes = kept ? &kept->indexes() : nullptr;
  if (p.method == Method::exact) return run_exact(context, indexes);
  if (p.pipeline != Pipeline::paper) return run_shifted_sort(context, kept);
  run_paper(context);
  exact::refine_none(context, indexes);
}

}  // namespace kann::cuda
