#include "cpu/hilbert_index.hpp"

#include <algorithm>

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/own_places.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {
namespace {

template <int D>
int bits_beside_indices(std::int64_t count) {
  return std::min(k_cell_bits<D>, ArgSorter::bits_beside_indices(count) / D);
}

}  // namespace

template <int D>
HilbertIndex<D>::HilbertIndex(Workspace<D>& work, bool ranks_queries)
    : bits_per_axis_(bits_beside_indices<D>(work.p.data_count)) {
  const Problem& p = work.p;
  work.order_along_hilbert(p.data, p.data_count, bits_per_axis_, data_);
  fine_ = order_crowded_cells(data_, p.given_data, p.threads);
  work.watch.lap(work.answer.steps.sort);
  if (ranks_queries && !fine_.is_of_all) table_.build(data_.codes, p.threads);
  work.watch.lap(work.answer.steps.rank);
  index_.emplace(p, data_.points);
  work.watch.lap(work.answer.steps.sort);
}

template <int D>
Array<std::uint32_t> HilbertIndex<D>::order_queries(Workspace<D>& work) const {
  const Problem& p = work.p;
  Array<std::uint32_t> ranks;
  if (p.self_query()) {
    base::resize_fresh(ranks, p.query_count);
    base::parallel_for(p.query_count, p.threads, [&](std::int64_t i) { ranks[i] = static_cast<std::uint32_t>(i); });
    work.watch.lap(work.answer.steps.rank);
    return ranks;
  }
  const int bits_per_axis = std::min(bits_per_axis_, bits_beside_indices<D>(p.query_count));
  work.order_along_hilbert(p.queries, p.query_count, bits_per_axis, work.queries);
  order_crowded_cells(work.queries, p.given_queries, p.threads);
  work.watch.lap(work.answer.steps.sort);
  if (p.is_part_of_self_query()) {
    ranks = own_places(p, data_.points.ids, work.queries.points.ids);
    work.watch.lap(work.answer.steps.rank);
    return ranks;
  }
  // If there are more queries than data, their codes have fewer bits, the leading ones, and some ranks are a few cells
  // off
  if (const int missing = D * (bits_per_axis_ - bits_per_axis); missing > 0)
    base::parallel_for(p.query_count, p.threads, [&](std::int64_t i) { work.queries.codes[i] <<= missing; });
  if (fine_.is_of_all) {
    base::resize_fresh(ranks, p.query_count);
  } else {
    work.rank(0, table_, work.queries, ranks);
  }
  rank_within_crowded_cells(work.queries, p.given_queries, data_, fine_, ranks, p.threads);
  work.watch.lap(work.answer.steps.rank);
  return ranks;
}

template class HilbertIndex<2>;
template class HilbertIndex<3>;

}  // namespace kann::cpu
