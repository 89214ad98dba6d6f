// The keys of an order of the data, which a search for places in it reads.
#pragma once

#include <cstdint>

#include "cuda/order/sorted_points.hpp"
#include "cuda/runtime/buffer.hpp"

namespace kann::cuda {

struct OrderedKeys {
  SortedPoints points{};  ///< whose keys are these
  Buffer<std::uint64_t> keys;
  bool ordered_within_cells = false;  ///< whether the points of each cell are in the order of crowded_cell.hpp
};

}  // namespace kann::cuda
