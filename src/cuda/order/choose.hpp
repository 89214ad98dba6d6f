// Some of the queries, by flags.
#pragma once

#include <cstdint>

#include "cuda/order/point_source.hpp"
#include "cuda/runtime/buffer.hpp"

namespace kann::cuda {

/// The flags of queries by their rows, from those by their places in an order. Queued on the pool's stream.
Buffer<bool> flags_by_row(Pool& pool, const bool* d_flags, const PlacedPoint* d_queries, std::int64_t count);

/// PointSequence::d_from of the queries of `sequence`, `count`, whose rows have a flag, in their order; `chosen` of
/// them do. Queued on the pool's stream.
Buffer<std::uint32_t> choose(Pool& pool, const PointSequence& sequence, std::int64_t count, const bool* d_by_row,
                             std::int64_t chosen);

}  // namespace kann::cuda
