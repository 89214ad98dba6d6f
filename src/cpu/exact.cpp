// The exact method: the k smallest (squared distance, index) of all data, or all within a radius.
#include "base/host_memory.hpp"
#include "cpu/methods.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {

template <int D>
Answer exact(const Problem& p, DataOrders<D>& data) {
  base::check_host_memory(Workspace<D>::bytes(p, k_nearest_team) + HilbertIndex<D>::bytes(p), "the search");
  Workspace<D> work(p);
  p.progress("search", 0);
  const auto hilbert = data.hilbert_index(work);
  const Array<std::uint32_t> ranks = hilbert->order_queries(work);
  p.progress("search", 0.25);
  const Placed<D>& queries = p.self_query() ? hilbert->data().points : work.queries.points;
  if (p.list_radius) {
    work.answer.lists = hilbert->index().search_within(p, queries.view(), ranks.data());
  } else {
    hilbert->index().search(p, queries.view(), ranks.data(), work.allocate_rows());
  }
  return work.finish();
}

template Answer exact(const Problem&, DataOrders<2>&);
template Answer exact(const Problem&, DataOrders<3>&);

}  // namespace kann::cpu
