// The data in the orders of the shifts, as the shifted sort searches them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kann/array.hpp"

#include "cpu/order/order.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {

/// The order of one shift while its sort keys are in memory.
struct ShiftInOrder {
  int number;
  std::uint64_t shift;                 ///< what moves an unshifted code
  const Array<std::uint64_t>& sorted;  ///< the keys of the data
  const RankTable* table;              ///< over these keys; null: none is kept
  const std::uint32_t* places;         ///< places, in the order of shift 0, of the data in this order; null in shift 0
};

/// The orders of all shifts are in memory at once: 20 bytes per data point and shift. Otherwise lists would have to be
/// kept from shift to shift: 64 bytes per query, read and written in each shift.
template <int D>
class ShiftOrders {
 public:
  using OnOrder = std::function<void(const ShiftInOrder&)>;

  /// Orders the data of work.p by its shifts, and calls on_order for each shift as soon as it is in order. Blocks.
  ShiftOrders(Workspace<D>& work, const OnOrder& on_order);

  /// Orders the data likewise, and keeps the keys for for_each(): 12 bytes more per data point and shift.
  explicit ShiftOrders(Workspace<D>& work);
  ShiftOrders(const ShiftOrders&) = delete;
  ShiftOrders& operator=(const ShiftOrders&) = delete;

  /// Calls on_order for each shift; the keys must be kept.
  void for_each(const OnOrder& on_order) const;

  bool are_of(const Problem& p) const { return p.shifts == shifts_; }
  const OrderedCloud<D>& first() const { return first_; }
  const std::vector<ShiftedOrder<D>>& later() const { return later_; }

  static double bytes_per_point(int shifts, bool keeps_keys);

 private:
  /// Makes the orders, and calls on_order(shift, keys).
  template <class OnKeys>
  void make(Workspace<D>& work, OnKeys on_keys);

  struct Keys {
    Array<std::uint64_t> sorted;  // empty in shift 0: the keys are the codes of first_
    RankTable table;
  };

  std::uint64_t code_of(int shift) const;
  void order_later(Workspace<D>& work, int shift, ShiftedOrder<D>& order) const;
  const Array<std::uint64_t>& keys_of(int shift) const {
    return kept_[shift].sorted.empty() ? first_.codes : kept_[shift].sorted;
  }
  const std::uint32_t* places(int shift) const { return shift == 0 ? nullptr : later_[shift - 1].places.data(); }

  int shifts_;
  OrderedCloud<D> first_;
  std::vector<ShiftedOrder<D>> later_;
  std::vector<Keys> kept_;  // by shift
};

}  // namespace kann::cpu
