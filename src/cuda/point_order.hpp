// Points in the order of one shift after the other: keys, a sort and a placing each.
#pragma once

#include <cstdint>

#include "cuda/device/buffer.hpp"
#include "cuda/key_layout.hpp"
#include "cuda/point_source.hpp"
#include "cuda/rank.hpp"
#include "cuda/run.hpp"
#include "cuda/sort.hpp"

namespace kann::cuda {

/// Orders `count` points. Takes its memory once.
class PointOrder {
 public:
  PointOrder(Run& run, std::int64_t count);

  /// Puts the points of `source`, which come in the order of their index wherever their keys are equal, into d_placed
  /// in the order of (key, index); PlacedPoint::index tells where in `source` a point is. Queued, and timed. The result
  /// is valid until the next call, and right if is_settled() says so of all orders so far.
  RankedOrder order(const Shift& shift, const PointSource& source, PlacedPoint* d_placed);

  /// Whether what points were sorted by sufficed: the leading bits of their keys first. Blocks. After a no, orders are
  /// made anew by more: by all bits, and on a fine curve, where many points share a cell, by their coordinates too.
  bool is_settled();

  /// Whether points of one cell are in fine order, as far as it matters.
  bool is_by_coordinates() const { return by_ == By::coordinates; }

 private:
  enum class By { leading_bits, all_bits, coordinates };

  void sort_packed(const Shift& shift, const KeyLayout& layout, const PointSource& source, PlacedPoint* d_placed);
  void clear_flag();
  void sort_fully(const Shift& shift, const PointSource& source, PlacedPoint* d_placed);

  Run& run_;
  const std::int64_t count_;
  KeySorter sorter_;
  PairSorter<std::uint64_t> full_sorter_;  // of no capacity until leading bits did not suffice
  By by_ = By::leading_bits;
  bool may_be_unsettled_ = false;    // an order so far
  Buffer<std::uint32_t> unsettled_;  // one flag
};

}  // namespace kann::cuda
