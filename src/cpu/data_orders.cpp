#include "cpu/data_orders.hpp"

namespace kann::cpu {

template <int D>
std::shared_ptr<const ShiftOrders<D>> DataOrders<D>::shift_orders(Workspace<D>& work,
                                                                  const typename ShiftOrders<D>::OnOrder& on_order) {
  if (!keeps_) return std::make_shared<const ShiftOrders<D>>(work, on_order);
  std::shared_ptr<const ShiftOrders<D>> orders;
  {
    const std::lock_guard lock(mutex_);
    if (!shift_orders_ || !shift_orders_->are_of(work.p)) {
      shift_orders_.reset();
      shift_orders_ = std::make_shared<const ShiftOrders<D>>(work);
    }
    orders = shift_orders_;
  }
  orders->for_each(on_order);
  return orders;
}

template <int D>
std::shared_ptr<const HilbertIndex<D>> DataOrders<D>::hilbert_index(Workspace<D>& work) {
  const bool ranks_queries = keeps_ || !(work.p.self_query() || work.p.is_part_of_self_query());
  const auto make = [&] { return std::make_shared<HilbertIndex<D>>(work, ranks_queries); };
  if (!keeps_) return make();
  const std::lock_guard lock(mutex_);
  if (!hilbert_index_) hilbert_index_ = make();
  hilbert_index_->prepare_for(work);
  return hilbert_index_;
}

template <int D>
bool DataOrders<D>::has(Method method) {
  const std::lock_guard lock(mutex_);
  return method == Method::exact ? hilbert_index_ != nullptr : shift_orders_ != nullptr;
}

template class DataOrders<2>;
template class DataOrders<3>;

}  // namespace kann::cpu
