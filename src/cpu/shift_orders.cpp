#include "cpu/shift_orders.hpp"

#include <utility>

#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {

template <int D>
ShiftOrders<D>::ShiftOrders(Workspace<D>& work, const OnOrder& on_order) : shifts_(work.p.shifts) {
  make(work, [&](int j, const Array<std::uint64_t>& keys) { on_order({j, code_of(j), keys, nullptr, places(j)}); });
}

template <int D>
ShiftOrders<D>::ShiftOrders(Workspace<D>& work) : shifts_(work.p.shifts) {
  kept_.resize(static_cast<std::size_t>(shifts_));
  make(work, [&](int j, Array<std::uint64_t>& keys) {
    if (j > 0) kept_[j].sorted = std::exchange(keys, {});
    kept_[j].table.build(keys_of(j), work.p.threads);
    work.watch.lap(work.answer.steps.rank);
  });
}

template <int D>
template <class OnKeys>
void ShiftOrders<D>::make(Workspace<D>& work, OnKeys on_keys) {
  const Problem& p = work.p;
  work.order(p.data, p.data_count, false, first_);
  on_keys(0, first_.codes);
  later_.resize(static_cast<std::size_t>(shifts_ - 1));
  for (int j = 1; j < shifts_; ++j) {
    p.progress("search", 0.5 * j / shifts_);
    order_later(work, j, later_[j - 1]);
    work.watch.lap(work.answer.steps.sort);
    on_keys(j, work.scratch);
  }
}

template <int D>
void ShiftOrders<D>::for_each(const OnOrder& on_order) const {
  for (int j = 0; j < shifts_; ++j) on_order({j, code_of(j), keys_of(j), &kept_[j].table, places(j)});
}

template <int D>
std::uint64_t ShiftOrders<D>::code_of(int shift) const {
  return shift_code<D>(shift_cells<D>(shift, shifts_));
}

template <int D>
void ShiftOrders<D>::order_later(Workspace<D>& work, int shift, ShiftedOrder<D>& order) const {
  const int threads = work.p.threads;
  work.sorter.template sort<D>(first_.codes, code_of(shift), threads);
  gather_placed<D>(first_.points, work.sorter, order, threads);
  gather_keys<D>(first_.codes, work.sorter, code_of(shift), work.scratch, threads);
}

template <int D>
double ShiftOrders<D>::bytes_per_point(int shifts, bool keeps_keys) {
  const double keys = keeps_keys ? (8 + RankTable::bytes_per_key) * shifts : 0;
  return ShiftedOrder<D>::bytes_per_point * (shifts - 1) + keys;
}

template class ShiftOrders<2>;
template class ShiftOrders<3>;

}  // namespace kann::cpu
