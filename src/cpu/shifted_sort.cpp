// The approximate method (Li et al. 2012, Algorithms 1 and 2; Park 2017).
#include <algorithm>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "base/parallel.hpp"
#include "base/resize_fresh.hpp"
#include "cpu/exact_rows.hpp"
#include "cpu/select.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {
namespace {

/// The orders of the shifts from 1 on, and the ranks of the queries in all shifts.
template <int D>
struct ShiftedOrders {
  std::vector<ShiftedOrder<D>> orders;
  std::vector<Array<std::uint32_t>> ranks;
};

template <int D>
double bytes_needed(const Problem& p) {
  const double bytes_per_point = ShiftedOrder<D>::bytes_per_point * (p.shifts - 1), bytes_per_query = 4.0 * p.shifts;
  const double bytes_per_shift =
      4 * k_group * (D + 2) + sizeof(ShiftedOrder<D>) + sizeof(Array<std::uint32_t>) + sizeof(SelectionOrder<D>);
  const double shifted = bytes_per_point * static_cast<double>(p.data_count) +
                         bytes_per_query * static_cast<double>(p.query_count) + bytes_per_shift * p.shifts;
  // Of the shifts, the ranks in one remain for the exact searches; a mark per row
  return Workspace<D>::bytes(p, k_select_team) + std::max(shifted, exact_rows_bytes<D>(p)) +
         (4.0 + 1.0) * static_cast<double>(p.query_count);
}

/// Puts the data in the order of shift j, into `order` unless j = 0; returns their sort keys in that order.
template <int D>
const Array<std::uint64_t>& order_data(Workspace<D>& work, int j, ShiftKey by, ShiftedOrder<D>* order) {
  const Problem& p = work.p;
  if (j == 0 && p.bits == k_code_bits<D>) return work.data.codes;
  if (j > 0) {
    work.sorter.template sort<D>(work.data.codes, by, work.data.points.ids.data(), p.threads);
    gather_placed<D>(work.data.points, work.sorter, *order, p.threads);
    gather_keys<D>(work.data.codes, work.sorter, by, work.scratch, p.threads);
  } else {
    base::resize_fresh(work.scratch, p.data_count);
    base::parallel_blocks(p.data_count, p.threads, [&](int, std::int64_t begin, std::int64_t end) {
      shifted_keys<D>(work.data.codes.data() + begin, end - begin, by, work.scratch.data() + begin);
    });
  }
  work.watch.lap(work.answer.steps.sort);
  return work.scratch;
}

/// All orders are in memory at once: 20 bytes per data point and shift. Lists kept from shift to shift would be 64
/// bytes per query, read and written in each.
template <int D>
ShiftedOrders<D> order_shifts(Workspace<D>& work) {
  const Problem& p = work.p;
  ShiftedOrders<D> shifts;
  shifts.orders.resize(static_cast<std::size_t>(p.shifts - 1));
  shifts.ranks.resize(static_cast<std::size_t>(p.shifts));
  for (int j = 0; j < p.shifts; ++j) {
    p.progress("search", 0.5 * j / p.shifts);
    const ShiftKey by{shift_code<D>(shift_cells<D>(j, p.shifts)), p.bits};
    ShiftedOrder<D>* const order = j > 0 ? &shifts.orders[j - 1] : nullptr;
    const Array<std::uint64_t>& keys = order_data(work, j, by, order);
    if (p.self_query()) {
      work.rank_data(keys, j > 0, shifts.ranks[j]);
    } else {
      work.rank(by, keys, shifts.ranks[j]);
    }
  }
  return shifts;
}

/// Writes the rows, and marks those that are doubtful. Returns the ranks of the queries in shift 0.
template <int D>
Array<std::uint32_t> search_windows(Workspace<D>& work, const HostRows& rows, Array<std::uint8_t>& marks) {
  const Problem& p = work.p;
  ShiftedOrders<D> shifts = order_shifts(work);
  p.progress("search", 0.5);

  Selection<D> selection;
  selection.problem = &p;
  selection.queries = work.queries().points.view();
  selection.orders.push_back({work.data.points.view(), nullptr, shifts.ranks[0].data()});
  for (std::size_t j = 1; j < shifts.ranks.size(); ++j) {
    const ShiftedOrder<D>& order = shifts.orders[j - 1];
    selection.orders.push_back({order.points.view(), order.places.data(), shifts.ranks[j].data()});
  }
  selection.rows = rows;
  selection.codes = work.data.codes.data();
  selection.query_codes = work.queries().codes.data();
  if (p.searches_doubtful && p.data_count > 0) selection.doubtful = marks.data();
  base::parallel_chunks(p.query_count, query_chunk(p.query_count, p.threads), p.threads,
                        [&](std::int64_t begin, std::int64_t end) { select<D>(selection, begin, end); });
  work.watch.lap(work.answer.steps.select);
  return std::move(shifts.ranks[0]);
}

}  // namespace

template <int D>
Answer shifted_sort(const Problem& p) {
  base::check_host_memory(bytes_needed<D>(p), "the search");
  Workspace<D> work(p);
  work.order_clouds(p.bits);
  const HostRows rows = work.allocate_rows();
  Array<std::uint8_t> marks(static_cast<std::size_t>(p.query_count), std::uint8_t{0});
  Array<std::uint32_t> ranks = search_windows(work, rows, marks);
  p.progress("search", 0.9);
  search_exactly(work, std::move(ranks), marks, rows);
  return work.finish();
}

template Answer shifted_sort<2>(const Problem&);
template Answer shifted_sort<3>(const Problem&);

}  // namespace kann::cpu
