// An index for exact searches in the order that makes them fast at any density: along the Hilbert curve, and by a k-d
// tree in crowded cells, or throughout where a few cells have a quarter of all points.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/array.hpp"

#include "cpu/exact_index.hpp"
#include "cpu/order/crowded_cells.hpp"
#include "cpu/order/order.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/workspace.hpp"

namespace kann::cpu {

template <int D>
class HilbertIndex {
 public:
  /// Orders the data of work.p. Blocks.
  /// @param ranks_queries whether order_queries() will be asked for queries that are not data
  HilbertIndex(Workspace<D>& work, bool ranks_queries);
  HilbertIndex(const HilbertIndex&) = delete;
  HilbertIndex& operator=(const HilbertIndex&) = delete;

  /// As ExactIndex::prepare_for(): data that are float32 have one order, whether a search is rounded or not.
  void prepare_for(Workspace<D>& work) {
    index_->prepare_for(work.p);
    work.watch.lap(work.answer.steps.sort);
  }

  const OrderedCloud<D>& data() const { return data_; }
  const ExactIndex<D>& index() const { return *index_; }

  /// Orders the queries of work.p likewise, into work.queries, and returns their ranks among the data. In a self-query,
  /// whose order is that of the data, and in a part of one, these are the queries' own places. May be called by several
  /// threads. Blocks.
  Array<std::uint32_t> order_queries(Workspace<D>& work) const;

 private:
  int bits_per_axis_;
  OrderedCloud<D> data_;
  FineOrder fine_;
  RankTable table_;                     // over the codes of data_
  std::optional<ExactIndex<D>> index_;  // over the points of data_
};

}  // namespace kann::cpu
