// The place of the first key of each pattern of leading bits. Example: for patterns of 2 bits, keys 0b0001 0b0100
// 0b0111 give 0 1 3 3 3.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/sorted_points.hpp"
#include "cuda/runtime/buffer.hpp"

namespace kann::cuda {

/// Shortens a binary search among 2²³ keys from 23 steps, most of which miss the nearest cache, to about four.
class PrefixTable {
 public:
  /// Allocates the table for `count` points.
  PrefixTable(Pool& pool, std::int64_t count);

  /// Fills the table for the keys of `points`. Queued on `stream`.
  void fill(const SortedPoints& points, cudaStream_t stream);

  const std::uint32_t* d_begins() const { return begins_.data(); }  ///< it has one entry more than there are patterns
  int bits_for(const SortedPoints& points) const;                   ///< the number of leading bits in a pattern

 private:
  int bits_;
  Buffer<std::uint32_t> begins_;
};

}  // namespace kann::cuda
