// The orders and indexes of one cloud of data: each is made by the first search that needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "cpu/hilbert_index.hpp"
#include "cpu/shift_orders.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {

/// All problems must have the same data. Several threads may call the functions; if a part is missing, one thread makes
/// it while the others wait.
template <int D>
class DataOrders {
 public:
  /// @param keeps whether parts are kept for later searches, or belong only to the search that asks for them
  explicit DataOrders(bool keeps) : keeps_(keeps) {}

  /// The orders for the problem's shifts. Only the orders that were asked for last are kept. Calls on_order
  /// for each shift in turn, while its keys are in memory.
  std::shared_ptr<const ShiftOrders<D>> shift_orders(Workspace<D>& work,
                                                     const typename ShiftOrders<D>::OnOrder& on_order);

  std::shared_ptr<const HilbertIndex<D>> hilbert_index(Workspace<D>& work);

  bool keeps() const { return keeps_; }

  /// Whether parts of this method are kept.
  bool has(Method method);

 private:
  const bool keeps_;
  std::mutex mutex_;  // guards all members that follow
  std::shared_ptr<const ShiftOrders<D>> shift_orders_;
  std::shared_ptr<HilbertIndex<D>> hilbert_index_;
};

}  // namespace kann::cpu
