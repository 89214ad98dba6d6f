// The data in the orders of the shifts.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "cuda/exact/data_indexes.hpp"
#include "cuda/order/point_order.hpp"
#include "cuda/order/sorted_points.hpp"
#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/prefix_table.hpp"
#include "cuda/shifted_sort/select.hpp"

namespace kann::cuda {

/// The order of one shift while its keys are in memory.
struct ShiftInOrder {
  int number;
  Shift shift;
  const SortedPoints& points;
  const PrefixTable* table;  ///< over the keys; null: none is kept
  bool are_sparse;           ///< whether points are sparse, as PointOrder::is_sparse() says of shift 0
};

/// The orders of all shifts or, if there are more than k_shifts_at_once, of shift 0 and as many others.
class ShiftOrders {
 public:
  using OnOrder = std::function<void(const ShiftInOrder&)>;

  /// @param shifts how many there are @param keeps_keys whether keys and tables are kept for for_each()
  ShiftOrders(int shifts, bool keeps_keys) : shifts_(shifts), keeps_keys_(keeps_keys) {}

  /// Orders the data of `context` in shifts [begin, end), at most k_shifts_at_once, and calls on_order for each as soon
  /// as its order is queued: the keys are then in the cache. Where an order turns out to be incomplete, all are made,
  /// and on_order is called, again. Replaces other orders but that of shift 0. Queued and timed; blocks until the
  /// orders are known to be complete.
  void order(SearchContext& context, int begin, int end, const OnOrder& on_order);

  /// Calls on_order for the shifts that were ordered last, whose keys must be kept.
  void for_each(const OnOrder& on_order) const;

  /// The points of a shift, which is among those that were ordered last. The index of a point is its row in shift 0,
  /// and its place in the order of shift 0 in other shifts.
  const PlacedPoint* d_placed(int shift) const { return orders_[at(shift)].placed.data(); }

 private:
  struct Order {
    Buffer<PlacedPoint> placed;
    OrderedKeys keys;
    std::optional<PrefixTable> table;
  };

  static std::size_t at(int shift) {
    return static_cast<std::size_t>(shift < k_shifts_at_once ? shift : 1 + shift % k_shifts_at_once);
  }
  bool try_order(SearchContext& context, PointOrder& sort, int begin, int end, const OnOrder& on_order);
  void keep(SearchContext& context, PointOrder& sort, const SortedPoints& points, Order& order) const;

  int shifts_;
  bool keeps_keys_, are_sparse_ = false;
  int dimensions_ = 3;
  std::vector<Order> orders_;
};

/// Orders for searches, each made by the first search that needs it. May be used by several threads.
class DataOrders {
 public:
  /// As exact::DataIndexes().
  DataOrders(SearchContext& data, std::mutex& mutex) : data_(data), mutex_(mutex), indexes_(data, mutex) {}

  /// The orders for so many shifts, with their keys. Blocks until they are made. Null if there are more than are in
  /// memory at once.
  const ShiftOrders* of(int shifts);

  exact::DataIndexes& indexes() { return indexes_; }

 private:
  SearchContext& data_;
  std::mutex& mutex_;
  exact::DataIndexes indexes_;
  std::map<int, ShiftOrders> by_shifts_;
};

}  // namespace kann::cuda
