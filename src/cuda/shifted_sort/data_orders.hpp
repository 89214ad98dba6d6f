// Orders of data that many searches share.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "cuda/exact/data_indexes.hpp"
#include "cuda/order/sorted_points.hpp"
#include "cuda/runtime/search_context.hpp"
#include "cuda/shifted_sort/prefix_table.hpp"

namespace kann::cuda {

/// The data in the order of each shift of a search. PlacedPoint::index in later orders is a place in that of shift 0.
struct ShiftOrders {
  struct Order {
    Buffer<PlacedPoint> placed;
    OrderedKeys keys;
    PrefixTable table;
  };
  std::vector<Order> orders;
  std::tuple<std::optional<exact::Index<float>>, std::optional<exact::Index<double>>> over_first;
};

/// Orders for searches, each made by the first search that needs it. May be used by several threads.
class DataOrders {
 public:
  /// As exact::DataIndexes().
  DataOrders(SearchContext& data, std::mutex& mutex) : data_(data), mutex_(mutex), indexes_(data, mutex) {}

  /// The orders that a search for `problem` needs. Blocks until they are made. Null if they are not kept: with more
  /// than three shifts, or if fewer than all bits are compared.
  ShiftOrders* of(const Problem& problem);

  /// An index over the order of shift 0. Blocks until it is made.
  template <class Real>
  const exact::Index<Real>& over_first(ShiftOrders& orders);

  exact::DataIndexes& indexes() { return indexes_; }

 private:
  SearchContext& data_;
  std::mutex& mutex_;
  exact::DataIndexes indexes_;
  std::map<int, ShiftOrders> by_shifts_;
};

}  // namespace kann::cuda
