// Points in the order of one shift, and the keys that they were sorted by.
#pragma once

#include <cstdint>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "geometry/grid.hpp"

namespace kann::cuda {

/// Ascending keys and their points. The bits of a key from `key_bit` on are the bits that the shift compares, except
/// the last `rest_bits`; if these matter, they are computed from the point.
struct SortedPoints {
  const std::uint64_t* d_keys;  ///< at most 2³² − 1 of them
  const PlacedPoint* d_placed;
  std::int64_t count;
  int key_bit;
  int key_bits;  ///< all bits of a key that are used, including those below `key_bit`
  int rest_bits;
  Grid grid;
};

/// The keys of an order of the data, which a search for places in it reads.
struct OrderedKeys {
  SortedPoints points{};  ///< whose keys are these
  Buffer<std::uint64_t> keys;
};

}  // namespace kann::cuda
