// The exact method: data and queries along the Hilbert curve, boxes over the data, and the search.
#include "cuda/exact/exact.hpp"

#include "cuda/exact/index.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/order/query_order.hpp"

namespace kann::cuda {
namespace {

template <class Real>
void run(SearchContext& context) {
  const Problem& p = context.problem;
  const bool self = p.self_query();
  const QueryOrder queries = self ? QueryOrder() : order_closely(context, hilbert_curve(p.dimensions));
  const exact::Index<Real> index(context);
  const PointSequence own{{nullptr, index.d_placed(), p.grid}, nullptr};
  exact::Search<Real> search = index.search_for(self ? own : queries.sequence(context), p.query_count);
  if (self) search.d_data_keys = nullptr;  // a point is at its own place
  exact::search(context.pool, search, context.rows());
  context.timer.lap(context.steps.select);
}

}  // namespace

void run_exact(SearchContext& context) { context.problem.is_rounded() ? run<double>(context) : run<float>(context); }

}  // namespace kann::cuda
