// The exact method: in cells where the data are spread evenly; otherwise data and queries along the Hilbert curve,
// boxes over the data, and the search.
#include "cuda/exact/exact.hpp"

#include <optional>

#include "cuda/exact/index.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/order/query_order.hpp"

namespace kann::cuda {
namespace {

template <class Real>
void run(SearchContext& context, exact::DataIndexes* kept) {
  const Problem& p = context.problem;
  if (!kept && exact::search_even_data<Real>(context)) return;
  const bool self = p.self_query();
  const QueryOrder queries = self ? QueryOrder() : order_closely(context, hilbert_curve(p.dimensions));
  std::optional<exact::Index<Real>> own;
  const exact::Index<Real>& index = exact::index_along_curve(context, kept, own);
  const PointSequence data{{nullptr, index.d_placed(), p.grid}, nullptr};
  exact::Search<Real> search = index.search_for(context, self ? data : queries.sequence(context), p.query_count);
  if (self) search.d_data_keys = nullptr;  // a point is at its own place
  exact::search(context.pool, search, context.rows());
  context.timer.lap(context.steps.select);
}

template <class Real>
void queue(SearchContext& context, exact::DataIndexes& kept) {
  const Problem& p = context.problem;
  const QueryOrder queries = order_roughly(context, hilbert_curve(p.dimensions));
  const exact::Search<Real> search =
      kept.along_curve<Real>().search_for(context, queries.sequence(context), p.query_count);
  exact::search(context.pool, search, context.rows());
}

}  // namespace

void run_exact(SearchContext& context, exact::DataIndexes* kept) {
  context.problem.is_rounded() ? run<double>(context, kept) : run<float>(context, kept);
}

void queue_exact(SearchContext& context, exact::DataIndexes& kept) {
  context.problem.is_rounded() ? queue<double>(context, kept) : queue<float>(context, kept);
}

}  // namespace kann::cuda
