// The exact method: the k smallest (squared distance, index) of all data, or all within a radius.
#include "base/host_memory.hpp"
#include "cpu/backend.hpp"
#include "cpu/methods.hpp"
#include "cpu/nearest/nearest.hpp"
#include "cpu/own_places.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {

/// The bytes that a plan of the search counts; points that are crowded ask for more when they are found.
template <int D>
static double bytes_needed(const Problem& p, DataOrders<D>& data) {
  const PointBytes each = point_bytes({D, 0, p.is_rounded(), p.self_query(), data.keeps()});
  const double per_point = data.has(Method::exact) ? 0 : each.kept + each.ordering;
  return per_point * static_cast<double>(p.data_count) +
         (each.query + 8.0 * static_cast<double>(p.k)) * static_cast<double>(p.query_count) +
         list_bytes(p.list_size(), p.threads) + own_places_bytes(p);
}

template <int D>
Answer exact(const Problem& p, DataOrders<D>& data) {
  base::check_host_memory(bytes_needed(p, data), "the search");
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
