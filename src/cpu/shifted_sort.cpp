// The approximate method (Li et al. 2012, Algorithms 1 and 2; Park 2017).
#include <vector>

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "cpu/methods.hpp"
#include "cpu/own_places.hpp"
#include "cpu/select.hpp"
#include "cpu/shift_orders.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"
#include "problem/query_progress.hpp"

namespace kann::cpu {
namespace {

template <int D>
double bytes_needed(const Problem& p, bool keeps_orders) {
  const double bytes_per_query = 4.0 * p.shifts;
  const double bytes_per_shift =
      4 * k_group * (D + 2) + sizeof(ShiftedOrder<D>) + sizeof(Array<std::uint32_t>) + sizeof(SelectionOrder<D>);
  return Workspace<D>::bytes(p, k_select_team) +
         ShiftOrders<D>::bytes_per_point(p.shifts, keeps_orders) * static_cast<double>(p.data_count) +
         bytes_per_query * static_cast<double>(p.query_count) + bytes_per_shift * p.shifts;
}

/// The queries in the order of shift 0, with their ranks in all shifts.
template <int D>
class RankedQueries {
 public:
  /// Orders the queries. This must come before the data are ordered, whose keys will be in the memory that it needs.
  explicit RankedQueries(Workspace<D>& work) : work_(work), ranks_(static_cast<std::size_t>(work.p.shifts)) {
    const Problem& p = work.p;
    if (!p.self_query()) work.order(p.queries, p.query_count, true, work.queries);
  }

  void rank(const ShiftInOrder& order) {
    const Problem& p = work_.p;
    if (p.self_query()) {
      rank_data(order.sorted, order.places, ranks_[order.number], p.threads);
      work_.watch.lap(work_.answer.steps.rank);
      return;
    }
    if (!order.table) work_.table.build(order.sorted, p.threads);
    work_.rank(order.shift, order.table ? *order.table : work_.table, work_.queries, ranks_[order.number]);
  }

  const std::uint32_t* in(std::size_t shift) const { return ranks_[shift].data(); }

 private:
  Workspace<D>& work_;
  std::vector<Array<std::uint32_t>> ranks_;
};

/// Writes the rows. @param own as Selection::own_places
template <int D>
void search_windows(Workspace<D>& work, const ShiftOrders<D>& orders, const RankedQueries<D>& ranks,
                    const std::uint32_t* own) {
  const Problem& p = work.p;
  const OrderedCloud<D>& first = orders.first();
  const OrderedCloud<D>& queries = p.self_query() ? first : work.queries;
  Selection<D> selection;
  selection.problem = &p;
  selection.queries = queries.points.view();
  selection.own_places = own;
  selection.orders.push_back({first.points.view(), nullptr, ranks.in(0)});
  for (std::size_t j = 1; j <= orders.later().size(); ++j) {
    const ShiftedOrder<D>& order = orders.later()[j - 1];
    selection.orders.push_back({order.points.view(), order.places.data(), ranks.in(j)});
  }
  selection.rows = work.allocate_rows();
  problem::QueryProgress progress(p, p.query_count, 0.5, 1);
  base::parallel_chunks(p.query_count, query_chunk(p.query_count, p.threads), p.threads,
                        [&](std::int64_t begin, std::int64_t end) {
                          select<D>(selection, begin, end);
                          progress.add(end - begin);
                        });
  work.watch.lap(work.answer.steps.select);
}

}  // namespace

template <int D>
Answer shifted_sort(const Problem& p, DataOrders<D>& data) {
  base::check_host_memory(bytes_needed<D>(p, data.keeps()), "the search");
  Workspace<D> work(p);
  RankedQueries<D> ranks(work);
  auto orders = data.shift_orders(work, [&](const ShiftInOrder& order) { ranks.rank(order); });
  p.progress("search", 0.5);
  Array<std::uint32_t> own;
  if (p.is_part_of_self_query()) {
    own = own_places(p, orders->first().points.ids, work.queries.points.ids);
    work.watch.lap(work.answer.steps.rank);
  }
  search_windows(work, *orders, ranks, own.empty() ? nullptr : own.data());
  return work.finish();
}

template Answer shifted_sort(const Problem&, DataOrders<2>&);
template Answer shifted_sort(const Problem&, DataOrders<3>&);

}  // namespace kann::cpu
