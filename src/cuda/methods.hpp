// Which method solves a problem on a device.
#pragma once

#include "cuda/exact/exact.hpp"
#include "cuda/exact/refine.hpp"
#include "cuda/paper/paper.hpp"
#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/shifted_sort.hpp"

namespace kann::cuda {

/// Runs the method that the problem of the context asks for.
inline void run_method(SearchContext& context) {
  const Problem& p = context.problem;
  if (p.query_count == 0) return;
  if (p.method == Method::exact) return run_exact(context);
  if (p.pipeline != Pipeline::paper) return run_shifted_sort(context);
  run_paper(context);
  exact::refine_none(context);
}

}  // namespace kann::cuda
