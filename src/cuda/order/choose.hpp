// Chooses some of the queries by flags.
#pragma once

#include <cstdint>

#include "cuda/order/point_source.hpp"
#include "cuda/runtime/buffer.hpp"

namespace kann::cuda {

/// Brings flags that are in some order of the queries to the order of the queries' rows. Queued on the pool's stream.
Buffer<bool> flags_by_row(Pool& pool, const bool* d_flags, const PlacedPoint* d_queries, std::int64_t count);

/// Chooses those of the `count` queries of `sequence` whose rows have a flag; their number is `chosen`. Returns
/// PointSequence::d_from for them, in the order of `sequence`. Queued on the pool's stream.
Buffer<std::uint32_t> choose(Pool& pool, const PointSequence& sequence, std::int64_t count, const bool* d_by_row,
                             std::int64_t chosen);

}  // namespace kann::cuda
