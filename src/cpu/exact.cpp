// The exact method: the k smallest (squared distance, index) of all data.
#include "base/host_memory.hpp"
#include "cpu/exact_index.hpp"
#include "cpu/nearest.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {

template <int D>
Answer exact(const Problem& p) {
  base::check_host_memory(Workspace<D>::bytes(p, k_nearest_team) + ExactIndex<D>::bytes(p), "the search");
  Workspace<D> work(p);
  p.progress("search", 0);
  const Array<std::uint32_t> ranks = order_for_exact(work);
  const ExactIndex<D> index(work);
  work.watch.lap(work.answer.steps.sort);
  p.progress("search", 0.25);
  index.search(work.queries().points.view(), ranks.data(), work.allocate_rows());
  return work.finish();
}

template Answer exact<2>(const Problem&);
template Answer exact<3>(const Problem&);

}  // namespace kann::cpu
