// The exact method: in cells where the data are spread evenly; otherwise data and queries along the Hilbert curve,
// boxes over the data, and the search.
#include "cuda/exact/exact.hpp"

#include <optional>

#include "cuda/exact/groups.hpp"
#include "cuda/exact/index.hpp"
#include "cuda/exact/neighbor_lists.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/order/curve_order.hpp"

namespace kann::cuda {
namespace {

/// Queues the search for all queries in `index`. Timed.
template <class Real>
void search_along_curve(SearchContext& context, const exact::Index<Real>& index) {
  const Problem& p = context.problem;
  const bool self = p.self_query();
  const bool need_no_order =
      self || (!p.list_radius && exact::are_few(p.query_count, p.data_count, p.list_size(), false));
  const Buffer<std::uint32_t> rows = need_no_order ? Buffer<std::uint32_t>() : order_queries(context, *index.order());
  const PointSequence data{{nullptr, index.d_placed(), p.grid}, nullptr},
      queries{{context.d_queries(), nullptr, p.grid}, rows.data()};
  exact::Search<Real> search = index.search_for(context, self ? data : queries, p.query_count);
  search.are_all_rows = true;
  if (self) {  // a point is at its own place
    search.d_data_keys = nullptr;
    search.tree_of_places = {};
  }
  if (context.to_lists) return exact::queue_lists(context, search, *context.to_lists);
  if (p.list_radius) {
    context.lists = exact::neighbor_lists(context, search);
    return;
  }
  exact::search(context.pool, search, context.rows());
  context.timer.lap(context.steps.select);
}

template <class Real>
void run(SearchContext& context, exact::DataIndexes* kept) {
  const Problem& p = context.problem;
  if (!p.list_radius && exact::search_even_data<Real>(context, kept)) return;
  std::optional<exact::Index<Real>> own;
  search_along_curve(context, exact::index_along_curve(context, kept, own));
}

template <class Real>
void queue(SearchContext& context, exact::DataIndexes& kept, const std::optional<DeviceGroups>& groups) {
  const bool may_be_even = !context.problem.list_radius && !kept.groups();
  if (may_be_even && exact::queue_even_data<Real>(context, kept)) return;
  const exact::Index<Real>& index = kept.along_curve<Real>(context.stream);
  kept.groups() ? exact::search_in_groups(context, index, *kept.groups(), groups) : search_along_curve(context, index);
}

}  // namespace

void run_exact(SearchContext& context, exact::DataIndexes* kept) {
  context.problem.is_rounded() ? run<double>(context, kept) : run<float>(context, kept);
}

void queue_exact(SearchContext& context, exact::DataIndexes& kept, const std::optional<DeviceGroups>& groups) {
  context.problem.is_rounded() ? queue<double>(context, kept, groups) : queue<float>(context, kept, groups);
}

}  // namespace kann::cuda
