// Which method solves a problem on a device.
#pragma once

#include "cuda/exact/exact.hpp"
#include "cuda/paper/paper.hpp"
#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/shifted_sort.hpp"

namespace kann::cuda {

/// Runs the method that the problem of the context asks for. `kept` are orders of the data; it is null if the data are
/// searched only once.
inline void run_method(SearchContext& context, DataOrders* kept = nullptr) {
  const Problem& p = context.problem;
  if (p.query_count == 0) return;
  if (p.method == Method::exact) return run_exact(context, kept ? &kept->indexes() : nullptr);
  p.method == Method::paper ? run_paper(context) : run_shifted_sort(context, kept);
}

}  // namespace kann::cuda
