// The approximate method (Li et al. 2012, Algorithms 1 and 2; Park 2017).
#include <vector>

#include "base/host_memory.hpp"
#include "base/parallel.hpp"
#include "base/resize_fresh.hpp"
#include "cpu/names.hpp"
#include "cpu/select.hpp"
#include "cpu/workspace.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {
namespace {

template <int D>
class ShiftedSort : Workspace<D> {
 public:
  using Workspace<D>::Workspace, Workspace<D>::p, Workspace<D>::data, Workspace<D>::sorter, Workspace<D>::scratch,
      Workspace<D>::answer, Workspace<D>::watch;

  Answer run() {
    // All shifts' orders are held at once: 16 bytes a data point and shift, where lists kept from shift to shift would
    // be 64 bytes a query, read and written in each.
    base::check_host_memory(bytes(), "the search");
    this->order_clouds(p.bits);
    orders_.resize(static_cast<std::size_t>(p.shifts - 1));
    ranks_.resize(static_cast<std::size_t>(p.shifts));
    for (int j = 0; j < p.shifts; ++j) {
      p.progress("search", 0.5 * j / p.shifts);
      const ShiftKey by{shift_code<D>(shift_cells<D>(j, p.shifts)), p.bits};
      this->rank(by, order_data(j, by), ranks_[j]);
    }
    p.progress("search", 0.5);
    select_all();
    return this->finish();
  }

 private:
  /// Puts the data in the order of shift j; returns their sort keys in it.
  const Array<std::uint64_t>& order_data(int j, ShiftKey by) {
    if (j == 0 && p.bits == k_code_bits<D>) return data.codes;
    if (j > 0) {
      sorter.template sort<D>(data.codes, by, data.points.ids.data(), p.threads);
      gather_placed<D>(data.points, sorter, orders_[j - 1], p.threads);
      gather_keys<D>(data.codes, sorter, by, scratch, p.threads);
    } else {
      base::resize_fresh(scratch, p.data_count);
      base::parallel_blocks(p.data_count, p.threads, [&](int, std::int64_t begin, std::int64_t end) {
        shifted_keys<D>(data.codes.data() + begin, end - begin, by, scratch.data() + begin);
      });
    }
    watch.lap(answer.steps.sort);
    return scratch;
  }

  void select_all() {
    Selection<D> selection;
    selection.problem = &p;
    selection.queries = this->queries().points.view();
    selection.orders.push_back(data.points.view());
    for (const auto& order : orders_) selection.orders.push_back(order.view());
    for (const auto& ranks : ranks_) selection.ranks.push_back(ranks.data());
    selection.rows = this->allocate_rows();
    base::parallel_chunks(p.query_count, query_chunk(p), p.threads,
                          [&](std::int64_t begin, std::int64_t end) { select<D>(selection, begin, end); });
  }

  double bytes() const {
    const double bytes_per_point = Placed<D>::bytes_per_point * (p.shifts - 1), bytes_per_query = 4.0 * p.shifts;
    const double bytes_per_shift =
        4 * k_group * (D + 1) + sizeof(Placed<D>) + sizeof(ranks_[0]) + sizeof(PlacedView<D>);
    return Workspace<D>::bytes(p, k_select_team) + bytes_per_point * static_cast<double>(p.data_count) +
           bytes_per_query * static_cast<double>(p.query_count) + bytes_per_shift * p.shifts;
  }

  std::vector<Placed<D>> orders_;            // of the shifts from 1 on; ids: places in the first
  std::vector<Array<std::uint32_t>> ranks_;  // of the queries
};

}  // namespace

template <int D>
Answer shifted_sort(const Problem& problem) {
  return ShiftedSort<D>(problem).run();
}

template Answer shifted_sort<2>(const Problem&);
template Answer shifted_sort<3>(const Problem&);

}  // namespace kann::cpu
