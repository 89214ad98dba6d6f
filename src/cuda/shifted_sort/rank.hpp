// Step rank: how many data points come before each query in a shift's order.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/point_source.hpp"
#include "cuda/runtime/buffer.hpp"

namespace kann::cuda {

/// The order of a shift, as ranks are found in it: sorted keys whose bits from `key_bit` on are all that the shift
/// compares but for `rest_bits`, and the points, from which the whole is made again where it matters.
struct RankedOrder {
  const std::uint64_t* d_keys;  ///< at most 2³² − 1 of them
  const PlacedPoint* d_placed;
  std::int64_t count;
  int key_bit;
  int key_bits;  ///< all bits of a key, those below `key_bit` included
  int rest_bits;
  Grid grid;
};

/// Where the keys of each leading pattern of bits begin: cuts a search for one of 2²³ keys from 23 steps, most of which
/// miss the nearest cache, to seven.
class PrefixTable {
 public:
  PrefixTable(Pool& pool, std::int64_t count);

  /// Fills the table for an order's keys. Queued on `stream`.
  void fill(const RankedOrder& order, cudaStream_t stream);

  const std::uint32_t* d_begins() const { return begins_.data(); }  ///< an entry more than there are patterns
  int bits_for(const RankedOrder& order) const;                     ///< leading bits that an entry stands for

 private:
  int bits_;
  Buffer<std::uint32_t> begins_;
};

/// d_ranks[i] = how many points of the order have a key of at most that of query i, which is put into d_placed[i] on
/// the way (null: is not). Queued on `stream`. Neighbouring queries should be near each other, so that their binary
/// searches read the same keys.
void rank_queries(const RankedOrder& order, const PrefixTable& table, const PointSequence& queries, std::int64_t count,
                  const Shift& shift, PlacedPoint* d_placed, std::uint32_t* d_ranks, cudaStream_t stream);

/// The same where the queries are the order's own points: the point at place i is query i or, `by_index`, the query
/// that its index names. No search is needed but to the end of a run of equal keys. Queued on `stream`.
void rank_own(const RankedOrder& order, bool by_index, const Shift& shift, std::uint32_t* d_ranks, cudaStream_t stream);

}  // namespace kann::cuda
